// Quality: what the model got right and wrong on rows whose class is known.

import { unitChart } from "./charts.js";
import { breakable, clip, fill, fixed, focusOn, grouped, h, intervalText, percent, percent1, scrolled, shade } from "./dom.js";
import { driftCard } from "./drift.js";
import { groupPanel, weakPanel } from "./groups.js";
import { naturalOrder } from "./model.js";
import { confusionNow, predictedOf } from "./rule.js";
import { figureTools } from "./takeaway.js";
import { thresholdPanel } from "./thresholds.js";

const FEW_ROWS = 10;
const BINS = 15;
const MANY_CLASSES = 8; // their matrix has the whole width, and the names of its columns stand upright

/** Mount the view; `list({ text, rows })` lists some rows of the data in the panel beside it. */
export function mountQuality(model, view, list) {
  const { quality } = model;
  if (!quality) {
    fill(view, heldOut(model.held_out), driftCard(model), h("section", { class: "card" }, h("h2", {}, "No test data"),
      h("p", {}, "This page was written without labelled data. Pass some to see how good the model is, or cross-validate the model when fitting it:"),
      h("pre", {}, h("code", {}, "bayleaf report model.bayleaf.json --data test.csv -o report.html\nbayleaf fit train.csv --target class --cv 10 -o model.bayleaf.json"))));
    return;
  }
  const drill = drillDown(model, list);
  const wide = quality.classes.length > MANY_CLASSES;
  const ruled = h("div", {}), counted = h("div", {});
  const matrix = panel("Confusion matrix", ["Rows: the true class; columns: the predicted one. Shades are shares of the true class.", drill ? onScreen(" Click a number to list its rows.") : null], ruled, counted);
  matrix.classList.toggle("full", wide);
  const decide = () => {
    const counts = confusionNow(model);
    fill(ruled, model.rule.chosen ? ruleNote(model, counts) : null);
    fill(counted, confusion(quality, counts ?? quality.confusion, counts ? drill : null));
  };
  decide();
  model.rule.subscribe(decide);
  fill(view,
    quality.seen ? h("p", quality.seen_matters ? { class: "note alarm", role: "alert", id: "seen" } : { class: "hint", id: "seen" }, quality.seen) : null,
    quality.costs ? costNote(quality) : baselineAlarm(quality),
    h("p", { class: "lead" }, `${quality.source} ${model.source ? `The rows are those of ${model.source}. ` : ""}Brackets hold 95% intervals: Wilson’s for the accuracy, ${quality.sample ? "normal approximations of the bootstrap" : "bootstrap over rows"} for the others. Below them: what the class frequencies alone would reach, by always predicting ${quality.costs ? "the class that is cheapest by them" : "the most frequent class"}.`),
    quality.sample ? h("p", { class: "note", id: "sample" }, `Missing values, thresholds, groups and the rows to look at use a uniform sample of ${grouped(quality.sample)} rows; everything else uses all rows.`) : null,
    quality.notes.map((note) => h("p", { class: "note" }, note)),
    driftCard(model),
    h("div", { class: "tiles" }, quality.measures.map((measure) => tile(measure, !quality.costs))),
    h("div", { class: "charts" },
      wide ? matrix : null,
      h("div", { class: "stack" },
        wide ? null : matrix,
        panel("Classes", "Precision: share of rows predicted as the class that belong to it. Recall: share of the class’s rows that are predicted as it. F1 combines both. In small print: Wilson’s 95% intervals.", classTable(quality)),
        panel("Missing values", "Accuracy by the number of missing features in a row.", missingTable(quality, model.examples?.missing ? drill : null)),
        quality.weak?.looked_at ? weakPanel(model) : null,
        quality.groups?.length ? groupPanel(model) : null),
      h("div", { class: "stack" },
        panel("Reliability", ["On the diagonal, a confidence of 80% is right 80% of the time. Bars at the bottom: how many rows.", drill ? onScreen(" Click a dot to list its rows.") : null], reliabilityChart(quality, drill)),
        quality.thresholds?.length ? thresholdPanel(model) : null),
      quality.curves.length ? curvesPanel(quality) : null));
}

function heldOut(found) {
  if (!found) {
    return null;
  }
  return [
    h("p", { class: "lead" }, `Seen in fit: ${grouped(found.rows)} training rows were held out in turn, and predicted by what was learned without them. Below the figures: what the class frequencies alone would reach. ${found.note}`),
    h("div", { class: "tiles" }, found.measures.map((measure) => tile(measure, !found.note))),
  ];
}

/** List the rows of the page for which something holds; null where the rows carry no predictions. */
function drillDown(model, list) {
  const { examples } = model;
  if (!examples?.predicted) return null;
  const drill = (text, holds, count) => {
    const rows = examples.rows.map((_, k) => k).filter(holds);
    list({ text: `${text}: ${rows.length} of ${grouped(count)} rows are on this page.`, rows });
  };
  drill.of = (row, truth, predicted) => examples.classes[row] === truth && predictedOf(model, row) === predicted;
  drill.confidence = (row) => examples.confidence[row];
  drill.missing = (row) => examples.missing[row];
  return drill;
}

/** A plain sentence where the model is no better than always deciding for the most frequent class. */
function baselineAlarm({ measures, classes, confusion }) {
  const accuracy = measures.find(({ name }) => name === "Accuracy");
  if (!accuracy || typeof accuracy.baseline !== "number" || accuracy.value > accuracy.baseline) return null;
  const missed = confusion.map((row, k) => [k, row[k], row.reduce((a, b) => a + b, 0)]).filter(([, right, all]) => all > 0 && right === 0);
  const none = missed.length ? ` Not one row of ${missed.map(([k]) => clip(classes[k], 30)).join(", ")} is found.` : "";
  const how = accuracy.value < accuracy.baseline ? "less accurate than" : "no more accurate than";
  return h("p", { class: "note alarm", role: "alert", id: "baseline-alarm" },
    `The model is ${how} always deciding for the most frequent class: ${percent1(accuracy.value)} against ${percent1(accuracy.baseline)}.${none}`);
}

/** Where decisions weigh costs, these and not the accuracy say whether the model is worth having. */
function costNote({ classes, confusion, costs }) {
  if (classes.length !== costs.length) return null; // rows of a class that was not in training have no costs
  const rows = confusion.flat().reduce((a, b) => a + b, 0);
  const perRow = (cost) => confusion.reduce((sum, row, k) => sum + row.reduce((part, count, j) => part + count * cost(k, j), 0), 0) / rows;
  const alone = classes.map((_, decision) => perRow((k) => costs[k][decision]));
  const cheapest = alone.indexOf(Math.min(...alone));
  const ours = perRow((k, j) => costs[k][j]), better = ours < alone[cheapest];
  return h("p", { class: better ? "note" : "note alarm", role: better ? null : "alert", id: "cost-note", "data-cost": ours, "data-baseline": alone[cheapest] },
    `Decisions weigh costs, so accuracy is not what they aim at. They cost ${fixed(ours, 3)} per row; always deciding for ${clip(classes[cheapest], 40)} would cost ${better ? "" : "no more: "}${fixed(alone[cheapest], 3)}.`);
}

/** Words about what can be clicked, which paper does without. */
function onScreen(text) {
  return h("span", { class: "on-screen" }, text);
}

function panel(title, text, ...content) {
  return h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "hint" }, text), ...content);
}

function tile({ name, value, low, high, baseline, hint }, judged = true) {
  const number = (x) => (name === "Accuracy" ? percent1(x) : x > 0 && x < 0.0005 ? "<0.001" : fixed(x, 3));
  return h("div", { class: `tile card${judged && name === "Accuracy" && value <= baseline ? " poor" : ""}`, title: hint, "data-measure": name, "data-value": value },
    h("span", { class: "tile-name" }, name),
    h("span", { class: "tile-value" }, value === null ? "–" : number(value)),
    h("span", { class: "hint" }, low === undefined ? " " : `[${number(low)}, ${number(high)}]`),
    typeof baseline === "number" ? h("span", { class: "hint" }, `frequencies ${number(baseline)}`) : null,
    h("span", { class: "tile-hint" }, hint));
}

/** What decisions by a threshold come to, beside the figures of the model's own. */
function ruleNote(model, counts) {
  const { quality, rule } = model, text = rule.text(model.nodes[model.target].states);
  if (!counts) return h("p", { class: "note", id: "rule-note" }, `Decisions elsewhere on this page: ${text}. The matrix shows the model’s own: the page does not have every row.`);
  const rows = counts.flat().reduce((a, b) => a + b, 0), right = counts.reduce((sum, row, k) => sum + row[k], 0);
  return h("p", { class: "note", id: "rule-note", "data-right": right }, `Decisions by a threshold: ${text}. ${percent1(right / rows)} of ${grouped(rows)} rows are decided correctly; the figures above are of the model’s own decisions. `,
    h("button", { type: "button", class: "quiet", id: "own-rule", onclick: () => {
      rule.set(null);
      focusOn("threshold");
    } }, "Back to these"));
}

function confusion({ classes }, counts, drill) {
  const totals = counts.map((row) => row.reduce((a, b) => a + b, 0));
  const small = classes.length > MANY_CLASSES;
  const room = small ? 24 : 12, order = naturalOrder(classes);
  const head = h("tr", {}, h("th", { class: "corner" }, "true ↓ predicted →"), order.map((k) => h("th", { scope: "col", title: classes[k] }, h("span", {}, clip(classes[k], room)))));
  const body = order.map((k) => h("tr", {}, h("th", { scope: "row", title: classes[k] }, clip(classes[k], room)),
    order.map((j) => {
      const count = counts[k][j];
      const share = totals[k] ? count / totals[k] : 0;
      const text = `${classes[k]} predicted as ${classes[j]}`;
      const shown = count && drill ? h("button", { type: "button", class: "cell", "aria-label": `${text}: ${count} rows`, onclick: () => drill(text, (row) => drill.of(row, k, j), count) }, grouped(count)) : count ? grouped(count) : "·";
      const cell = h("td", { class: k === j ? "right" : "", title: `${text}: ${count} (${percent(share)})` }, shown);
      shade(cell, "background", share);
      return cell;
    })));
  return scrolled("Confusion matrix", h("table", { id: "confusion", class: small ? "heat small" : "heat" }, h("thead", {}, head), h("tbody", {}, body)));
}

function classTable({ classes, by_class: lines }) {
  const cell = (line, name) => h("td", { class: "number" }, line[name] === null ? "–"
    : [fixed(line[name], 3), h("span", { class: "hint interval" }, intervalText(line[`${name}_low`], line[`${name}_high`], (x) => fixed(x, 2)))]);
  const names = { precision: "precision", recall: "recall", f1: "F1" };
  return scrolled("Figures by class", h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, h("th", {}, "class"), Object.values(names).map((name) => h("th", { class: "number" }, name)), h("th", { class: "number" }, "rows"))),
    h("tbody", {}, naturalOrder(classes).map((k) => h("tr", {}, h("th", { scope: "row", title: classes[k] }, breakable(clip(classes[k], 24))),
      Object.keys(names).map((name) => cell(lines[k], name)), h("td", { class: "number" }, grouped(lines[k].rows)))))));
}

function reliabilityChart({ reliability, rows }, drill) {
  const bin = (confidence) => Math.max(1, Math.ceil(confidence * BINS - 1e-9));
  const most = Math.max(...reliability.bins.map((each) => each.rows));
  const chart = unitChart({
    xLabel: "confidence", yLabel: "accuracy", diagonal: true,
    lines: [{ points: reliability.bins.filter((each) => each.rows >= FEW_ROWS).map((each) => [each.confidence, each.accuracy]), strong: true, label: "accuracy by confidence" }],
    dots: reliability.bins.map((each) => ({ x: each.confidence, y: each.accuracy, size: 4, few: each.rows < FEW_ROWS,
      label: `${each.rows} rows: confidence ${percent(each.confidence)}, accuracy ${percent(each.accuracy)}`,
      click: drill && (() => drill(`Confidence ${percent((bin(each.confidence) - 1) / BINS)} to ${percent(bin(each.confidence) / BINS)}`, (row) => bin(drill.confidence(row)) === bin(each.confidence), each.rows)) })),
    bars: reliability.bins.map((each) => ({ from: (bin(each.confidence) - 1) / BINS, to: bin(each.confidence) / BINS,
      height: each.rows / most, label: `${grouped(each.rows)} of ${grouped(rows)} rows` })),
  });
  return [chart, figureTools(() => chart, "reliability"), h("p", { class: "hint" }, `Expected calibration error ${fixed(reliability.error, 3)}. Hollow dots stand for fewer than ${FEW_ROWS} rows.`)];
}

function curvesPanel({ curves, classes }) {
  // The rarest class: where a model is good at the others it may still miss this one.
  const start = curves.reduce((best, curve, k) => (curve.share <= curves[best].share ? k : best), 0);
  const roc = h("div"), pr = h("div"), text = h("p", { class: "hint" });
  const choice = h("select", { "aria-label": "Class", onchange: () => draw(Number(choice.value)) },
    naturalOrder(curves.map((curve) => classes[curve.class])).map((k) => h("option", { value: k }, clip(classes[curves[k].class], 40))));
  choice.value = String(start);

  function draw(chosen) {
    const lines = (key) => curves.map((curve, k) => ({ points: curve[key], strong: k === chosen, label: classes[curve.class] }))
      .filter((line) => line.strong || curves.length > 2).sort((a, b) => a.strong - b.strong);
    const curve = curves[chosen];
    fill(roc, unitChart({ xLabel: "false positive rate", yLabel: "true positive rate", diagonal: true, lines: lines("roc") }));
    fill(pr, unitChart({ xLabel: "recall", yLabel: "precision", level: curve.share, lines: lines("pr") }));
    fill(text, `${clip(classes[curve.class], 40)} against the rest: AUC ${fixed(curve.auc, 3)}, average precision ${fixed(curve.ap, 3)}, ${percent(curve.share)} of the rows.`);
  }

  draw(start);
  return h("section", { class: "card curves" },
    h("header", { class: "card-head" }, h("h2", {}, "ROC and precision–recall"), choice),
    text, h("div", { class: "pair" }, h("div", {}, roc, figureTools(() => roc.querySelector("svg"), "roc")), h("div", {}, pr, figureTools(() => pr.querySelector("svg"), "precision-recall"))));
}

function missingTable({ missing }, drill) {
  return h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, h("th", {}, "missing features"), h("th", { class: "number" }, "accuracy"), h("th", { class: "number" }, "rows"))),
    h("tbody", {}, missing.map((group) => {
      const bar = h("span", { class: "meter-bar" });
      bar.style.width = `${100 * group.accuracy}%`;
      const which = group.from === group.to ? String(group.from) : `${group.from} to ${group.to}`;
      const name = drill ? h("button", { type: "button", class: "link", onclick: () => drill(`${which} missing`, (row) => drill.missing(row) >= group.from && drill.missing(row) <= group.to, group.rows) }, which) : which;
      return h("tr", {}, h("td", {}, name),
        h("td", { class: "meter-cell" }, h("span", { class: "meter" }, bar), h("span", { class: "meter-text" }, percent1(group.accuracy))), h("td", { class: "number" }, grouped(group.rows)));
    })));
}
