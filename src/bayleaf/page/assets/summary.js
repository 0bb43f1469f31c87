// One page on paper for whoever decides about the model: what, for whom, how good, how honest, limits, strongest features.

import { byId, clip, fill, fixed, grouped, h, intervalText, percent1 } from "./dom.js";
import { stateText, wilson } from "./groups.js";
import { trainingRows } from "./model.js";

const STRONGEST = 3, MOST_LIMITS = 4, MOST_CLASSES = 8;

/** Print the summary alone, unless every view is asked for or a case sheet is printed. */
export function prepareSummary(model) {
  if (model.target === null || byId("print-all").checked || document.body.classList.contains("case-sheet")) return false;
  fill(byId("summary"), summary(model));
  document.body.classList.add("summary-sheet");
  addEventListener("afterprint", () => document.body.classList.remove("summary-sheet"), { once: true });
  return true;
}

function summary(model) {
  const { learned, nodes, target: at, quality } = model;
  const target = nodes[at], rows = trainingRows(model), features = nodes.length - 1;
  const classes = target.states.length <= MOST_CLASSES ? target.states.map((state) => clip(state, 40)).join(", ") : `${target.states.length} classes`;
  const part = (title, ...content) => [h("h2", {}, title), ...content.flat().filter(Boolean).map((text) => (typeof text === "string" ? h("p", {}, text) : text))];
  return [
    h("h1", {}, model.title),
    part("What it does", `It predicts ${target.name} (${classes}) from ${grouped(features)} ${features === 1 ? "feature" : "features"}. Method: ${learned.method ?? learned.structure ?? "not recorded"}.`),
    part("For whom", target.description, `For cases like the ${rows ? `${grouped(rows)} rows` : "rows"} it was learned from. Of other cases its answers are guesses.`),
    part("How good it is", goodness(model)),
    part("How honest it is", honesty(model)),
    part("Its limits", limits(model)),
    part(`Its ${STRONGEST} strongest features`, strongest(model)),
    h("p", { class: "hint" }, `Page written ${learned.written}${quality && model.source ? `; measured on ${model.source}` : ""}. The page itself shows the details.`),
  ];
}

function goodness({ quality, held_out: held }) {
  if (!quality) {
    const found = held?.measures.find(({ name }) => name === "Accuracy");
    return [found ? `${percent1(found.value)} of ${grouped(held.rows)} training rows that were held out in turn are predicted correctly.` : "That was not measured on rows with a known class."];
  }
  const accuracy = quality.measures.find(({ name }) => name === "Accuracy");
  const base = typeof accuracy.baseline === "number" ? ` Always deciding for the most frequent class would be correct in ${percent1(accuracy.baseline)}.` : "";
  const { classes, by_class: lines } = quality;
  return [`Of ${grouped(quality.rows)} rows with a known class, ${percent1(accuracy.value)} are predicted correctly${accuracy.low === undefined ? "" : ` (95% interval ${intervalText(accuracy.low, accuracy.high, percent1)})`}.${base}`,
    classes.length <= MOST_CLASSES ? h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", {}, "class"), h("th", { class: "number" }, "rows"), h("th", { class: "number" }, "of these, found"), h("th", { class: "number" }, "right when it says so"))),
      h("tbody", {}, lines.map((line, k) => h("tr", {}, h("td", {}, clip(classes[k], 40)), h("td", { class: "number" }, grouped(line.rows)), ...["recall", "precision"].map((name) => h("td", { class: "number" }, line[name] === null ? "–" : percent1(line[name]))))))) : null];
}

function honesty({ quality }) {
  if (!quality) return ["Whether its probabilities are right was not measured."];
  const { error } = quality.reliability, skill = quality.measures.find(({ name }) => name === "Brier skill");
  const off = `What it says and what happens differ by ${fixed(100 * error, 1)} percentage points on average: of cases with a confidence of 80%, about ${fixed(100 * Math.max(0, 0.8 - error), 0)} to ${fixed(100 * Math.min(1, 0.8 + error), 0)}% are right.`;
  return [off, skill?.value > 0 ? `Its probabilities save ${percent1(skill.value)} of the error of the class frequencies alone.` : "Its probabilities are no better than the class frequencies alone.", quality.seen];
}

function limits(model) {
  const { quality, learned, drift, nodes } = model;
  const weak = quality?.weak?.groups[0];
  const group = weak && weak.states.map(([node, state]) => `${clip(nodes[node].name, 30)} ${clip(stateText(nodes[node], state), 24)}`).join(" and ");
  const fails = weak ? `It is worst where ${group}: ${percent1(weak.right / weak.rows)} of ${grouped(weak.rows)} rows are predicted correctly (${intervalText(...wilson(weak.right / weak.rows, weak.rows), percent1)}).`
    : quality?.weak?.looked_at ? `No group stands out among ${grouped(quality.weak.looked_at)} that were looked at.` : null;
  const told = [fails, model.nothing, model.caution, drift?.alarm ? drift.verdict : null, ...learned.warnings.map((text) => clip(text, 240))].filter(Boolean);
  return [...told.slice(0, MOST_LIMITS), "Arrows between features are dependences, not causes."];
}

function strongest({ nodes, target, pool }) {
  const told = (node) => (pool ? pool.evidence[node.index] : node.information) ?? 0;
  const best = nodes.filter((node) => node.index !== target && told(node) > 0).sort((a, b) => told(b) - told(a)).slice(0, STRONGEST);
  if (!best.length) return ["No feature tells anything about the class by itself."];
  return [h("ol", {}, best.map((node) => h("li", {}, h("b", {}, clip(node.name, 60)), node.description ? `: ${clip(node.description, 160)}` : "")))];
}
