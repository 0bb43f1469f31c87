// The case sheet: one page on paper for the case that is set, with verdict, evidence, reasons, model and date.

import { borderText, casesBeyond, stepText } from "./borders.js";
import { knownText, outsideText, valueText } from "./evidence_text.js";
import { byId, clip, fill, h, percent, percent1, signed } from "./dom.js";
import { inWords, numberText, shareText, trainingRows } from "./model.js";
import { cannotAnswer, valueOfInformation } from "./next.js";
import { classPosterior, meanEvidence, singleChanges, weighEvidence } from "./reasons.js";
import { sureText } from "./sureness.js";
import { nearestFlips } from "./why.js";

const MOST_LINES = 24, MOST_STEPS = 3;
const MATTERS = 0.05; // of a probability

/** Fill the sheet and print it alone. */
export function printSheet(store) {
  fill(byId("sheet"), sheet(store));
  document.body.classList.add("case-sheet");
  addEventListener("afterprint", () => document.body.classList.remove("case-sheet"), { once: true });
  print();
}

function sheet(store) {
  const { model } = store;
  const target = model.nodes[model.target];
  const evidence = store.featureEvidence();
  const posterior = store.canInfer ? classPosterior(model, store.spareTree(), evidence) : null;
  const changed = store.edited().length ? `, with ${store.edited().length} changed` : "";
  const row = store.origin ? `R${store.origin.name.slice(1)}${changed}` : store.row === null ? "A case that was set by hand" : `Row ${model.examples.rows[store.row]}${changed}`;
  const label = store.origin ? store.origin.truth : store.row !== null && model.examples.truth ? model.examples.truth[store.row] : null;
  const truth = label === null ? "" : `, true class ${clip(label, 60)}`;
  return [
    h("h1", {}, model.title),
    h("p", { class: "hint" }, `${row}${truth}. Printed ${new Date().toISOString().slice(0, 10)}.`),
    posterior ? [verdict(store, target, posterior), h("p", {}, knownText(model, evidence))] : h("p", {}, "The model considers these values impossible, or cannot be asked in a browser."),
    reasons(store, evidence, posterior),
    posterior ? nextSteps(store, evidence, store.decide(posterior)) : null,
    byId("typical")?.textContent ? h("p", {}, byId("typical").textContent) : null,
    h("h2", {}, "Model"), h("p", {}, modelText(model)),
    model.caution ? h("p", {}, model.caution) : null,
    h("div", { class: "notes" }, "Notes"),
    h("p", { class: "signature" }, h("span", {}, "Name of the case"), h("span", {}, "Date, signature")),
  ];
}

function verdict(store, target, posterior) {
  const best = store.decide(posterior);
  const sure = store.sureness ? ` ${sureText(store.sureness.limits(store.spareTree())[best])}` : "";
  return [h("h2", {}, `${target.name}: ${clip(target.states[best], 80)}, ${percent(posterior[best])}${sure}${store.model.rule.chosen ? ` (decided by a threshold: ${store.model.rule.text(target.states)})` : store.model.costs ? " (the smallest expected cost)" : ""}`),
    h("p", {}, target.states.map((state, k) => `${clip(state, 40)} ${percent(posterior[k])}`).join(" · ")),
    sure ? h("p", {}, "In brackets: the 90% interval, where the probability would probably lie with very many training rows.") : null];
}

/** Every value with its weight for the decision against the most probable other class, the strongest first. */
function reasons(store, evidence, posterior) {
  const { model } = store;
  const target = model.nodes[model.target];
  const given = store.given().filter((node) => node.index !== model.target);
  if (!posterior || target.arity < 2 || !given.length) return h("p", {}, "No value is set: only the class frequencies count.");
  const first = store.decide(posterior);
  const second = posterior.reduce((best, p, k) => (k !== first && (best < 0 || p > posterior[best]) ? k : best), -1);
  const weighed = model.members ? meanEvidence(model, store.spareTree().trees, evidence, first, second) : weighEvidence(model, store.spareTree(), evidence, first, second);
  const terms = [...weighed.terms].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const largest = Math.max(1e-9, Math.abs(weighed.prior), ...terms.map(({ weight }) => Math.abs(weight)).filter(Number.isFinite));
  const unknown = model.nodes.filter((node) => node.index !== model.target && node.arity > 1 && evidence[node.index] < 0);
  return [
    h("h2", {}, `Evidence for ${clip(target.states[first], 40)} against ${clip(target.states[second], 40)}`),
    h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, h("th", {}, "feature"), h("th", {}, "value"), h("th", {}, `← ${clip(target.states[second], 20)} · ${clip(target.states[first], 20)} →`), h("th", { class: "number" }, "log-odds"))),
      h("tbody", {},
        h("tr", {}, h("td", {}, "before any evidence"), h("td", {}), bar(weighed.prior, largest), h("td", { class: "number" }, signed(weighed.prior))),
        terms.slice(0, MOST_LINES).map(({ index, weight }) => line(store, model.nodes[index], weight, largest)),
        terms.length > MOST_LINES ? h("tr", {}, h("td", {}, `${terms.length - MOST_LINES} values that matter less`), h("td", { colspan: 2 }), h("td", { class: "number" }, signed(terms.slice(MOST_LINES).reduce((sum, term) => sum + term.weight, 0)))) : null,
        h("tr", { class: "total" }, h("td", {}, "together"), h("td", { colspan: 2 }), h("td", { class: "number" }, signed(weighed.total))))),
    unknown.length ? h("p", {}, `Not known: ${clip(unknown.map((node) => node.name).join(", "), 400)}.`) : null,
  ];
}

/** What a weight pushes, from the middle to one of the sides. */
function bar(weight, largest) {
  const size = 50 * Math.min(1, Math.abs(weight) / largest || 0), push = h("span", { class: weight >= 0 ? "push for" : "push against" });
  push.style.left = `${weight >= 0 ? 50 : 50 - size}%`;
  push.style.width = `${size}%`;
  const zero = h("span", { class: "zero" });
  zero.style.left = "50%";
  return h("td", { class: "sheet-bar" }, h("span", { class: "track" }, zero, push));
}

/** Values near a border, the smallest changes that would turn the decision, and what is worth measuring next. */
function nextSteps(store, evidence, decision) {
  const { nodes, target } = store.model, label = (k) => clip(nodes[target].states[k], 30);
  if (!store.canInfer) return null;
  const now = classPosterior(store.model, store.spareTree(), evidence)[decision];
  const near = casesBeyond(store, evidence).filter(({ decision: other, p }) => other !== decision || Math.abs(p[decision] - now) >= MATTERS).slice(0, MOST_STEPS).map(({ index, number, cut, decision: other, p }) => `Measure ${nodes[index].name} again: ${numberText(nodes[index], number)} is ${borderText(nodes[index], number, cut)}; beyond it ${label(other)} ${shareText(store.model, p[other])}.`);
  const changes = nearestFlips(store, finished(singleChanges(store, evidence, decision))).slice(0, MOST_STEPS)
    .map((change) => `${inWords(nodes[change.index], change.state, 40)}${stepText(store, change) ? ` (${stepText(store, change)})` : ""} would make it ${label(change.decision)}.`);
  const values = cannotAnswer(store) ? [] : finished(valueOfInformation(store)).filter(({ information }) => information > 0.001).slice(0, MOST_STEPS);
  const next = values.length ? [`Most worth measuring next: ${values.map(({ index }) => nodes[index].name).join(", ")}.`] : [];
  const lines = [...near, ...changes, ...next];
  return lines.length ? [h("h2", {}, "Next steps, and what would change it"), h("ul", {}, lines.map((text) => h("li", {}, text)))] : null;
}

function finished(work) {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

function line(store, node, weight, largest) {
  const odd = outsideText(store, node);
  return h("tr", {}, h("td", {}, clip(node.name, 50)), h("td", {}, `${clip(valueText(store, node), 60)}${odd ? `, ${odd}` : ""}`), bar(weight, largest), h("td", { class: "number" }, signed(weight)));
}

function modelText(model) {
  const rows = trainingRows(model), { learned, quality } = model;
  const accuracy = quality?.measures.find(({ name }) => name === "Accuracy");
  return [learned.method ?? learned.structure, rows ? `learned from ${rows.toLocaleString("en")} rows` : null, `page written ${learned.written}`,
    accuracy ? `accuracy ${percent1(accuracy.value)} (${model.costs ? "decisions weigh costs" : `class frequencies ${percent1(accuracy.baseline ?? NaN)}`}) on ${quality.rows.toLocaleString("en")} rows` : null,
    ...learned.versions.slice(0, 1).map(([term, text]) => `${term} ${text}`)].filter(Boolean).join("; ") + ".";
}
