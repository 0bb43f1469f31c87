// Why: the evidence in log-odds, the values that suffice, the changes that would matter.

import { borderText, casesBeyond, distanceTo, stepText } from "./borders.js";
import { breakable, clip, fill, h, oddsText, percent, signed, tied } from "./dom.js";
import { valueText } from "./evidence_text.js";
import { inWords, mostProbable, naturalOrder, numberText, shareText } from "./model.js";
import { canGuarantee, classPosterior, meanEvidence, singleChanges, sufficientSet, weighEvidence } from "./reasons.js";
import { inSlices } from "./slices.js";
import { csvText, download } from "./takeaway.js";

const MOST_BARS = 40;
const HARDLY = 0.02; // of the strongest push
const MOST_CHANGES = 6;
const SHORT = 7; // values that a reader keeps in mind
const ENSEMBLE_LEAD = "In each network, every value that is set pushes the odds of one class against another. Shown is the mean push over the networks; the sum is the mean of their log-odds. That is not the log-odds of the class probabilities, which are counted or averaged over the networks: choose one network to see its own sum.";

/** Mount the view; the answers are worked out only while it is visible. Returns a function that brings it up to date. */
export function mountWhy(store, view, isVisible) {
  const { model } = store;
  const target = model.nodes[model.target];
  const choices = { chosen: null, other: null };
  const chosen = classChoice(target, "For", (k) => { choices.chosen = k; show(); });
  const other = classChoice(target, "Against", (k) => { choices.other = k; show(); });
  const bars = h("div", { class: "bars", id: "evidence-bars" });
  const enough = h("div", { class: "answer", id: "sufficient" });
  const changes = h("div", { class: "answer", id: "changes" });
  const pending = { token: 0 };
  let shown = null; // what the bars show
  const save = h("button", { type: "button", class: "quiet", id: "save-evidence", title: "Save the evidence as CSV", onclick: () => shown && download("evidence.csv", csvText(shown), "text/csv") }, "CSV");

  fill(view,
    model.caution ? h("p", { class: "note" }, model.caution) : null,
    h("p", { class: "lead" }, model.members ? ENSEMBLE_LEAD : "Each value that is set pushes the odds of one class against another. The pushes are added up in logarithms, and their sum is exactly the log-odds of the posterior."),
    h("section", { class: "card" },
      h("header", { class: "card-head" }, h("h2", {}, "Weight of evidence"), h("div", { class: "tools", hidden: !store.canInfer }, chosen.element, h("span", { class: "hint" }, "against"), other.element, save)),
      bars),
    h("div", { class: "pair", hidden: !store.canInfer },
      h("section", { class: "card" }, h("h2", {}, "Enough on its own"), enough),
      h("section", { class: "card" }, h("h2", {}, "What would change it"), changes)));

  function show() {
    if (!isVisible()) return;
    if (!store.canInfer) {
      fill(bars, h("p", { class: "hint" }, "This network is too dense for exact weights of evidence in a browser. The probabilities still follow what is set, as estimates."));
      return;
    }
    pending.token += 1;
    const evidence = store.featureEvidence();
    const posterior = classPosterior(model, store.spareTree(), evidence);
    if (!posterior || target.arity < 2) {
      fill(bars, h("p", { class: "hint" }, "There is nothing to weigh: the model considers this combination impossible, or there is one class only."));
      fill(enough);
      fill(changes);
      return;
    }
    const [first, second] = contrast(store, posterior, choices);
    chosen.set(first);
    other.set(second);
    const weighed = model.members ? meanEvidence(model, store.spareTree().trees, evidence, first, second) : weighEvidence(model, store.spareTree(), evidence, first, second);
    shown = evidenceRows(store, weighed, first, second);
    fill(bars, Number.isNaN(weighed.total) ? h("p", { class: "hint" }, "There are no odds to explain: given these values both classes are impossible, or some networks rule out one class and other networks the other. Compare with the decision.")
      : evidenceBars(store, weighed, first, second));
    showReasons(store, evidence, posterior, pending, enough, changes);
  }

  store.subscribe((what) => {
    if (what !== "evidence") return;
    choices.chosen = choices.other = null; // a new question is about the new decision
    show();
  });
  return show;
}

/** The evidence as lines of a table. */
function evidenceRows(store, { prior, terms, total }, first, second) {
  const { nodes, target } = store.model;
  return [["feature", "value", `log-odds of ${nodes[target].states[first]} against ${nodes[target].states[second]}`], ["(prior)", "", prior],
    ...terms.map(({ index, weight }) => [nodes[index].column ?? nodes[index].name, valueText(store, nodes[index]), weight]), ["(total)", "", total]];
}

function classChoice(target, label, choose) {
  const element = h("select", { "aria-label": `${label} class`, onchange: () => choose(Number(element.value)) },
    naturalOrder(target.states).map((k) => h("option", { value: k }, clip(target.states[k], 40))));
  return { element, set: (k) => (element.value = String(k)) };
}

/** The decision against the most probable of the others, unless the reader chose. */
function contrast(store, posterior, choices) {
  const best = (banned) => mostProbable(posterior.map((p, k) => (k === banned ? -1 : p)), store.classPrior());
  const decision = store.decide(posterior);
  const first = choices.chosen ?? (decision === choices.other ? best(decision) : decision);
  const second = choices.other !== null && choices.other !== first ? choices.other : best(first);
  return [first, second];
}

/** A waterfall: each push starts where the one before it ended; the last bar is their sum. A store says what is set. */
export function evidenceBars(store, { prior, terms, total }, first, second) {
  const { model } = store;
  const target = model.nodes[model.target];
  const names = [target.states[second], target.states[first]].map((label) => clip(label, 30));
  const rows = waterfall(store, prior, terms, total);
  const finite = rows.flatMap((row) => [row.from, row.to]).filter(Number.isFinite);
  const low = Math.min(0, ...finite), high = Math.max(0, ...finite, low + 1e-9);
  const place = (x) => 100 * Math.max(0, Math.min(1, (x - low) / (high - low)));
  return [
    h("div", { class: "bar-row heads" }, h("span", {}), h("span", { class: "ends" }, h("span", { class: "against-text" }, `← ${names[0]}`), h("span", { class: "for-text" }, `${names[1]} →`)), h("span", { class: "number" }, "log-odds")),
    ...rows.map((row) => barRow(row, place)),
    h("p", { class: "hint" }, terms.length ? `A sum of ${signed(total)} means odds of ${oddsText(total)} for ${names[1]} against ${names[0]}${model.members ? ", the geometric mean over the networks" : ""}.`
      : "Nothing is set yet: only the class frequencies count. Set values under “What if” or load a row of the data."),
  ];
}

function waterfall(store, prior, terms, total) {
  const { nodes } = store.model;
  const strongest = [...terms].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const finite = strongest.find((term) => Number.isFinite(term.weight));
  const least = strongest.length > 8 && finite ? HARDLY * Math.abs(finite.weight) : 0;
  const telling = strongest.filter((term, k) => k < MOST_BARS && Math.abs(term.weight) >= least);
  const rest = strongest.slice(telling.length);
  const rows = [{ name: "before any evidence", weight: prior, kind: "prior" },
    ...telling.map(({ index, state, weight }) => ({ name: nodes[index].name, value: valueText(store, nodes[index]), title: inWords(nodes[index], state), weight, index }))];
  if (rest.length) {
    const what = rest.length === 1 ? "one value that matters less" : `${rest.length} values that matter less`;
    rows.push({ name: what, weight: rest.reduce((sum, term) => sum + term.weight, 0), kind: "rest" });
  }
  let sum = 0;
  for (const row of rows) {
    row.from = sum;
    sum += row.weight;
    row.to = sum;
  }
  return [...rows, { name: "together", weight: total, from: 0, to: total, kind: "total" }];
}

function barRow({ name, value, title, weight, from, to, kind, index }, place) {
  const bar = h("span", { class: weight >= 0 ? "push for" : "push against" });
  const zero = h("span", { class: "zero" });
  const [left, right] = [place(Math.min(from, to)), place(Math.max(from, to))];
  bar.style.left = `${left}%`;
  bar.style.width = `${right - left}%`;
  zero.style.left = `${place(0)}%`;
  return h("div", { class: `bar-row ${kind ?? ""}`, "data-weight": weight, "data-index": index, title: title ?? name },
    h("span", { class: "what" }, h("b", {}, breakable(clip(name, 44))), value ? h("span", { class: "hint" }, ` ${tied(clip(value, 40))}`) : null),
    h("span", { class: "track" }, zero, bar),
    h("span", { class: "number" }, signed(weight)));
}

/** Work on the slow questions in slices, and drop them when the evidence changes. */
function showReasons(store, evidence, posterior, pending, enough, changes) {
  const { model } = store;
  const token = pending.token;
  const decision = store.decide(posterior);
  fill(enough, h("p", { class: "hint" }, "…"));
  fill(changes, h("p", { class: "hint" }, "…"));
  const alive = () => pending.token === token;
  const showChanges = () => inSlices(singleChanges(store, evidence, decision), alive, (list) => fill(changes, borders(store, evidence, decision), changesText(store, decision, list)));
  if (model.members) {
    fill(enough, h("p", { class: "hint" }, "Values that guarantee a decision are found for one network at a time: choose one network to see them."));
    showChanges();
    return;
  }
  const decided = { ...model, costs: store.costs() }, isRule = model.rule.chosen && model.nodes[model.target].arity > 2;
  if (isRule || !canGuarantee(decided)) {
    fill(enough, h("p", { class: "hint" }, isRule ? "Here a threshold decides. Values that guarantee such a decision are found for two classes only." : "Here decisions are chosen by their costs. Values that guarantee such a decision are found for two classes only, and where being wrong costs more than being right."));
    showChanges();
    return;
  }
  inSlices(sufficientSet(decided, evidence, decision, store.classPrior()), alive, (reason) => {
    fill(enough, sufficientText(model, evidence, decision, reason));
    showChanges();
  });
}

function sufficientText(model, evidence, decision, { guaranteed, kept }) {
  const label = h("strong", {}, clip(model.nodes[model.target].states[decision], 60));
  if (!guaranteed) {
    return h("p", { "data-guaranteed": "false" }, "No set of the values that are set guarantees ", label, ": features that are still unknown could overturn it.");
  }
  if (!kept.length) return h("p", { "data-guaranteed": "true" }, "The decision is always ", label, ", whatever the features.");
  const given = evidence.filter((state, index) => state >= 0 && index !== model.target).length;
  if (kept.length > SHORT) return h("p", { "data-guaranteed": "true" }, `It takes ${kept.length} of ${given} values to guarantee `, label, ": there is no short reason.");
  return [
    h("p", { "data-guaranteed": "true" }, "These values alone guarantee ", label, ", whatever all the other features are. None of them can be left out."),
    h("div", { class: "chips" }, kept.map((index) => h("span", { class: "chip", "data-kept": index, title: inWords(model.nodes[index], evidence[index]) },
      h("span", { class: "chip-text" }, h("b", {}, clip(model.nodes[index].name, 30)), ` ${clip(model.nodes[index].states[evidence[index]], 30)}`)))),
  ];
}

/** Values that lie near a border: what the model says beyond it. */
function borders(store, evidence, decision) {
  const { nodes, target } = store.model;
  return casesBeyond(store, evidence).map(({ index, number, cut, decision: other, p }) => h("p", { class: other === decision ? "hint" : "note", "data-border": index, "data-decision": other, "data-p": p[other] },
    `Near a border: ${clip(nodes[index].name, 40)} ${numberText(nodes[index], number)} is ${borderText(nodes[index], number, cut)}; beyond it ${clip(nodes[target].states[other], 30)} ${shareText(store.model, p[other])}.`));
}

/** Changes that flip the decision, the nearest first; without any, the strongest. */
function changesText(store, decision, list) {
  const { model } = store;
  const classes = model.nodes[model.target].states;
  const flips = list.filter((change) => change.flips);
  const shown = (flips.length ? nearestFlips(store, list) : onePerFeature(list)).slice(0, MOST_CHANGES);
  if (!shown.length) return h("p", { class: "hint" }, "No other value of any feature is possible, or changes anything.");
  const lead = flips.length ? "The decision would flip if one value were different; the smallest changes first:"
    : `No single value flips the decision. The strongest changes, with the ${model.members ? "probability that remains, on average over the networks" : "odds that remain"}:`;
  return [
    h("p", {}, lead),
    h("table", { class: "plain", "data-flips": flips.length }, h("tbody", {}, shown.map((change) => {
      const node = model.nodes[change.index];
      const was = change.from < 0 ? "now unknown" : Number.isNaN(store.numbers[node.index]) ? `instead of ${clip(node.states[change.from], 24)}` : `instead of ${numberText(node, store.numbers[node.index])}`;
      const step = stepText(store, change);
      return h("tr", { "data-index": change.index, "data-state": change.state, "data-distance": distanceTo(store, change) },
        h("td", { title: node.name }, h("b", {}, clip(node.name, 30)), ` ${node.cuts ? "" : "= "}${clip(node.states[change.state], 26)} `, h("span", { class: "hint" }, step ? `${was}: ${step}` : was)),
        h("td", { class: "number" }, change.flips ? `${clip(classes[change.decision], 24)} ${shareText(model, change.p)}`
          : `${clip(classes[decision], 24)} ${model.members ? percent(change.left) : oddsText(change.logOdds)}`));
    }))),
  ];
}

/** Changes that flip the decision, one per feature, the smallest first. */
export function nearestFlips(store, list) {
  const far = new Map(list.map((change) => [change, distanceTo(store, change)]));
  return onePerFeature(list.filter((change) => change.flips).sort((a, b) => far.get(a) - far.get(b)));
}

/** The first change of each feature. */
function onePerFeature(list) {
  const seen = new Set();
  return list.filter((change) => !seen.has(change.index) && seen.add(change.index));
}
