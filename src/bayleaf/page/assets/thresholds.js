// Thresholds and costs: what becomes of hits and false alarms when a class is decided for from another probability on.

import { unitChart } from "./charts.js";
import { clip, fill, fixed, grouped, h, percent, percent1 } from "./dom.js";
import { naturalOrder } from "./model.js";
import { typedNumber } from "./number_texts.js";
import { STEPS, ruleFor } from "./rule.js";
import { figureTools } from "./takeaway.js";

/** The panel; one class against the rest. Where the model weighs decisions by costs, it starts at their threshold. */
export function thresholdPanel(model) {
  const { quality } = model;
  const { thresholds, classes, focus } = quality;
  const figures = h("div", { id: "threshold-figures" });
  const choice = h("select", { id: "threshold-class", "aria-label": "Class", onchange: () => start() },
    naturalOrder(thresholds.map((each) => classes[each.class])).map((k) => h("option", { value: k }, clip(classes[thresholds[k].class], 40))));
  choice.value = String(Math.max(0, thresholds.findIndex((each) => each.class === focus)));
  const slider = h("input", { type: "range", id: "threshold", min: 0, max: STEPS, step: 1, "aria-label": "Threshold", oninput: () => show(true) });
  const cost = h("input", { type: "text", inputmode: "decimal", class: "number", autocomplete: "off", id: "miss-cost", "aria-label": "What a miss costs, in false alarms", oninput: () => {
    const { value: times } = typedNumber(cost.value, null);
    cost.setAttribute("aria-invalid", String(!(times > 0)));
    if (!(times > 0)) return;
    slider.value = String(Math.round(STEPS / (1 + times)));
    show(false);
  } });
  const level = h("output", { class: "level", for: "threshold" });
  const curve = h("div", { id: "cost-curve" });
  const everywhere = h("button", { type: "button", class: "quiet", id: "decide-everywhere", onclick: () => model.rule.set(ruleFor(model, thresholds[Number(choice.value)].class, Number(slider.value))) }, "Decide like this everywhere");
  model.rule.subscribe(() => {
    const { chosen } = model.rule;
    if (!chosen) start();
    else if (thresholds.some((each) => each.class === chosen.of)) {
      choice.value = String(thresholds.findIndex((each) => each.class === chosen.of));
      slider.value = String(chosen.step);
      show(true);
    }
  });

  function start() {
    const own = ownThreshold(model, thresholds[Number(choice.value)].class);
    slider.value = String(Math.round(STEPS * own));
    show(true);
    if (own > 0) cost.value = costText((1 - own) / own); // the slider has steps, costs have none
  }

  function show(byThreshold) {
    const step = Number(slider.value);
    if (byThreshold) cost.value = step > 0 ? costText((STEPS - step) / step) : "";
    fill(level, `from ${percent(step / STEPS)} on`);
    slider.setAttribute("aria-valuetext", `from ${percent(step / STEPS)} on`);
    const chosen = thresholds[Number(choice.value)];
    fill(figures, figuresAt(chosen, step, clip(classes[chosen.class], 24)));
    fill(curve, costCurve(chosen, step, clip(classes[chosen.class], 24)));
    everywhere.hidden = !ruleFor(model, chosen.class, step);
  }

  start();
  return h("section", { class: "card", id: "threshold-panel" },
    h("header", { class: "card-head" }, h("h2", {}, "Threshold and costs"), choice),
    h("p", { class: "hint" }, classes.length > 2 ? "The class against the rest: a row is predicted positive if the probability of the class is at least the threshold." : "A row is predicted positive if the probability is at least the threshold."),
    h("div", { class: "slider-line" }, slider, level),
    h("label", { class: "check" }, "A miss costs ", cost, " times a false alarm."),
    h("p", { class: "on-screen" }, everywhere),
    figures, h("h3", {}, "Cost curve"), curve);
}

function costText(times) {
  return String(Number(times.toPrecision(3)));
}

/** The probability from which on the model itself decides for a class: by its costs, or one half. */
function ownThreshold({ costs }, k) {
  if (!costs || costs.length !== 2) return 0.5;
  const alarm = costs[1 - k][k] - costs[1 - k][1 - k], miss = costs[k][1 - k] - costs[k][k];
  return alarm + miss > 0 ? alarm / (alarm + miss) : 0.5;
}

/**
 * What decisions cost per row, at every threshold t: misses cost 1 - t and false alarms t, the costs for which t is the
 * right threshold. A model is worth having where it lies below both straight lines.
 */
function costCurve({ hits, alarms }, step, name) {
  const rows = hits[0] + alarms[0], steps = [...Array(STEPS + 1).keys()];
  const cost = (t, hit, alarm) => ((hits[0] - hit) * (1 - t) + alarm * t) / rows;
  const ours = steps.map((k) => [k / STEPS, cost(k / STEPS, hits[k], alarms[k])]);
  const all = [[0, 0], [1, alarms[0] / rows]], none = [[0, hits[0] / rows], [1, 0]];
  const top = Math.max(1e-9, ...ours.map(([, y]) => y), Math.min(hits[0], alarms[0]) / rows) * 1.1;
  const [x, y] = ours[step], better = steps.filter((k) => ours[k][1] < Math.min(cost(k / STEPS, 0, 0), cost(k / STEPS, hits[0], alarms[0])) - 1e-12);
  const below = (points) => points.map(([px, py]) => [px, Math.min(py, top)]);
  const cut = ([[x0, y0], [x1, y1]]) => steps.map((k) => [k / STEPS, y0 + (y1 - y0) * (k / STEPS - x0) / (x1 - x0)]).filter(([, py]) => py <= top);
  const chart = unitChart({ xLabel: "threshold", yLabel: "cost per row", top,
    lines: [{ points: cut(all), label: `all predicted ${name}` }, { points: cut(none), label: `none predicted ${name}` }, { points: below(ours), strong: true, label: "the model" }],
    dots: [{ x, y, size: 4.5, label: `${percent(x)}: ${fixed(y, 3)} per row` }] });
  const what = "At each threshold, misses and false alarms have the costs for which it is the right one. ";
  const text = better.length ? `Below both thin lines (all, or none, predicted ${name}) the model saves costs: with thresholds from ${percent(better[0] / STEPS)} to ${percent(better.at(-1) / STEPS)}.`
    : `Nowhere does the model cost less than predicting all, or none, as ${name}.`;
  return [chart, figureTools(() => chart, "costs"), h("p", { class: "hint", "data-cost": y }, what, text)];
}

function figuresAt({ hits, alarms }, step, name) {
  const [all, others] = [hits[0], alarms[0]], rows = all + others;
  const hit = hits[step], alarm = alarms[step], miss = all - hit, rest = others - alarm;
  const t = step / STEPS, weight = t < 1 ? t / (1 - t) : NaN;
  const benefit = (h1, a1) => (Number.isNaN(weight) ? NaN : h1 / rows - (a1 / rows) * weight);
  const share = (part, whole) => (whole ? percent1(part / whole) : "–");
  const fact = (term, text, title) => [h("dt", { title }, term), h("dd", { "data-figure": term }, text)];
  return h("div", { class: "pair" },
    h("table", { class: "heat two" },
      h("thead", {}, h("tr", {}, h("td"), h("th", { scope: "col" }, `predicted ${name}`), h("th", { scope: "col" }, "not"))),
      h("tbody", {},
        h("tr", {}, h("th", { scope: "row" }, `is ${name}`), h("td", { class: "right", "data-cell": "hits" }, grouped(hit)), h("td", { "data-cell": "misses" }, grouped(miss))),
        h("tr", {}, h("th", { scope: "row" }, "is not"), h("td", { "data-cell": "alarms" }, grouped(alarm)), h("td", { class: "right" }, grouped(rest))))),
    h("dl", { class: "facts" },
      fact("Sensitivity", share(hit, all), "Share of positive rows predicted positive (recall)"),
      fact("Specificity", share(rest, others), "Share of negative rows predicted negative"),
      fact("PPV", share(hit, hit + alarm), "Share of rows predicted positive that are positive (precision)"),
      fact("NPV", share(rest, rest + miss), "Share of rows predicted negative that are negative"),
      fact("Net benefit", fixed(benefit(hit, alarm), 3), "Hits less false alarms at the odds of the threshold, per row"),
      fact("… of predicting all positive", fixed(benefit(all, others), 3), "The same if every row were predicted positive; predicting none positive has 0")));
}
