// Quality: what the model got right and wrong on rows whose class is known.

import { unitChart } from "./charts.js";
import { clip, fill, grouped, h, percent, shade } from "./dom.js";

const FEW_ROWS = 10;

export function mountQuality(model, view) {
  const { quality } = model;
  if (!quality) {
    fill(view, heldOut(model.held_out), h("section", { class: "card" }, h("h2", {}, "No test data"),
      h("p", {}, "This page was written without labelled data. Pass some to see how good the model is, or cross-validate the model when fitting it:"),
      h("pre", {}, h("code", {}, "bayleaf report model.bayleaf.json --data test.csv -o report.html\nbayleaf fit train.csv --target class --cv 10 -o model.bayleaf.json"))));
    return;
  }
  fill(view,
    h("p", { class: "lead" }, `${quality.source} Brackets hold 95% intervals: Wilson’s for the accuracy, bootstrap over rows for the others. Below them: what the class frequencies alone would reach.`),
    quality.notes.map((note) => h("p", { class: "note" }, note)),
    h("div", { class: "tiles" }, quality.measures.map(tile)),
    h("div", { class: "charts" },
      h("div", { class: "stack" },
        panel("Confusion matrix", "Rows: the true class; columns: the predicted one. Shades are shares of the true class.", confusion(quality)),
        panel("Classes", "Precision: of the rows called so, the share that are. Recall: of the rows that are, the share called so. F1 sums up both. Pointed at, a figure shows Wilson’s 95% interval.", classTable(quality)),
        panel("Missing values", "Accuracy by the number of missing features in a row.", missingTable(quality))),
      panel("Reliability", "On the diagonal, a confidence of 80% is right 80% of the time. Bars at the bottom: how many rows.", reliabilityChart(quality)),
      quality.curves.length ? curvesPanel(quality) : null));
}

function heldOut(found) {
  if (!found) {
    return null;
  }
  return [
    h("p", { class: "lead" }, `Seen in fit: ${grouped(found.rows)} training rows were held out in turn, and predicted by what was learned without them. Below the figures: what the class frequencies alone would reach.`),
    h("div", { class: "tiles" }, found.measures.map(tile)),
  ];
}

function panel(title, text, ...content) {
  return h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "hint" }, text), ...content);
}

function tile({ name, value, low, high, baseline, hint }) {
  const number = (x) => (name === "Accuracy" ? `${(100 * x).toFixed(1)}%` : x > 0 && x < 0.0005 ? "<0.001" : x.toFixed(3));
  return h("div", { class: "tile card", title: hint, "data-measure": name, "data-value": value },
    h("span", { class: "tile-name" }, name),
    h("span", { class: "tile-value" }, value === null ? "–" : number(value)),
    h("span", { class: "hint" }, low === undefined ? " " : `[${number(low)}, ${number(high)}]`),
    typeof baseline === "number" ? h("span", { class: "hint" }, `frequencies ${number(baseline)}`) : null,
    h("span", { class: "tile-hint" }, hint));
}

function confusion({ classes, confusion: counts }) {
  const totals = counts.map((row) => row.reduce((a, b) => a + b, 0));
  const small = classes.length > 8;
  const head = h("tr", {}, h("th", {}), classes.map((label) => h("th", { scope: "col", title: label }, clip(label, small ? 5 : 12))));
  const body = counts.map((row, k) => h("tr", {}, h("th", { scope: "row", title: classes[k] }, clip(classes[k], 16)),
    row.map((count, j) => {
      const share = totals[k] ? count / totals[k] : 0;
      const cell = h("td", { class: k === j ? "right" : "", title: `${classes[k]} predicted as ${classes[j]}: ${count} (${percent(share)})` }, count ? grouped(count) : "·");
      shade(cell, "background", share);
      return cell;
    })));
  return h("div", { class: "heat-wrap", tabindex: 0 }, h("table", { class: small ? "heat small" : "heat" }, h("thead", {}, head), h("tbody", {}, body)));
}

function classTable({ classes, by_class: lines }) {
  const cell = (line, name) => h("td", { class: "number", title: line[name] === null ? "no rows" : `[${line[`${name}_low`].toFixed(3)}, ${line[`${name}_high`].toFixed(3)}]` },
    line[name] === null ? "–" : line[name].toFixed(3));
  const names = { precision: "precision", recall: "recall", f1: "F1" };
  return h("div", { class: "heat-wrap", tabindex: 0 }, h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, h("th", {}, "class"), Object.values(names).map((name) => h("th", { class: "number" }, name)), h("th", { class: "number" }, "rows"))),
    h("tbody", {}, lines.map((line, k) => h("tr", {}, h("th", { scope: "row", title: classes[k] }, clip(classes[k], 16)),
      Object.keys(names).map((name) => cell(line, name)), h("td", { class: "number" }, grouped(line.rows)))))));
}

function reliabilityChart({ reliability, rows }) {
  const most = Math.max(...reliability.bins.map((bin) => bin.rows));
  const chart = unitChart({
    xLabel: "confidence", yLabel: "accuracy", diagonal: true,
    lines: [{ points: reliability.bins.filter((bin) => bin.rows >= FEW_ROWS).map((bin) => [bin.confidence, bin.accuracy]), strong: true, label: "accuracy by confidence" }],
    dots: reliability.bins.map((bin) => ({ x: bin.confidence, y: bin.accuracy, size: 4, few: bin.rows < FEW_ROWS,
      label: `${bin.rows} rows: confidence ${percent(bin.confidence)}, accuracy ${percent(bin.accuracy)}` })),
    bars: reliability.bins.map((bin) => ({ from: Math.max(0, Math.ceil(bin.confidence * 15 - 1e-9) - 1) / 15, to: Math.max(1, Math.ceil(bin.confidence * 15 - 1e-9)) / 15,
      height: bin.rows / most, label: `${grouped(bin.rows)} of ${grouped(rows)} rows` })),
  });
  return [chart, h("p", { class: "hint" }, `Expected calibration error ${reliability.error.toFixed(3)}. Hollow dots stand for fewer than ${FEW_ROWS} rows.`)];
}

function curvesPanel({ curves, classes }) {
  const start = curves.length === 2 ? 1 : 0;
  const roc = h("div"), pr = h("div"), text = h("p", { class: "hint" });
  const choice = h("select", { "aria-label": "Class", onchange: () => draw(Number(choice.value)) },
    curves.map((curve, k) => h("option", { value: k }, clip(classes[curve.class], 40))));
  choice.value = String(start);

  function draw(chosen) {
    const lines = (key) => curves.map((curve, k) => ({ points: curve[key], strong: k === chosen, label: classes[curve.class] }))
      .filter((line) => line.strong || curves.length > 2).sort((a, b) => a.strong - b.strong);
    const curve = curves[chosen];
    fill(roc, unitChart({ xLabel: "false positive rate", yLabel: "true positive rate", diagonal: true, lines: lines("roc") }));
    fill(pr, unitChart({ xLabel: "recall", yLabel: "precision", level: curve.share, lines: lines("pr") }));
    fill(text, `${clip(classes[curve.class], 40)} against the rest: AUC ${curve.auc.toFixed(3)}, average precision ${curve.ap.toFixed(3)}, ${percent(curve.share)} of the rows.`);
  }

  draw(start);
  return h("section", { class: "card curves" },
    h("header", { class: "card-head" }, h("h2", {}, "ROC and precision–recall"), choice),
    text, h("div", { class: "pair" }, roc, pr));
}

function missingTable({ missing }) {
  return h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, h("th", {}, "missing features"), h("th", {}, "accuracy"), h("th", { class: "number" }, "rows"))),
    h("tbody", {}, missing.map((group) => {
      const bar = h("span", { class: "meter-bar" });
      bar.style.width = `${100 * group.accuracy}%`;
      return h("tr", {}, h("td", {}, group.from === group.to ? String(group.from) : `${group.from} to ${group.to}`),
        h("td", { class: "meter-cell" }, h("span", { class: "meter" }, bar), h("span", { class: "meter-text" }, percent(group.accuracy))), h("td", { class: "number" }, grouped(group.rows)));
    })));
}
