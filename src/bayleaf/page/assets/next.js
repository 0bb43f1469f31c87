// Next: which unknown value is worth measuring, by the information about the class that is expected of it.

import { breakable, byId, clip, fill, fixed, grouped, h, intervalText, percent, scrolled } from "./dom.js";
import { logSum } from "./junction.js";
import { inSlices } from "./slices.js";

const MOST_LINES = 40;

/** Mount the view; the answers are worked out only while it is visible. Returns a function that brings it up to date. */
export function mountNext(store, view, isVisible) {
  const { model } = store;
  const list = h("div", { id: "next-values" });
  let token = 0;
  fill(view,
    h("p", { class: "lead" }, `For every unknown value: the information about the class that measuring it is expected to bring, in bits, given what is set. Next to it is the range of probabilities that the decision could then have. ${store.estimate ? "All of it is estimated from the rows drawn." : "All of it is exact."}`),
    h("section", { class: "card" }, list));

  function show() {
    if (!isVisible()) return;
    token += 1;
    const mine = token;
    const reason = cannotAnswer(store);
    if (reason) {
      fill(list, h("p", { class: "hint" }, reason));
      return;
    }
    fill(list, h("p", { class: "hint" }, "…"));
    inSlices(valueOfInformation(store), () => token === mine, (lines) => fill(list, table(store, lines)));
  }

  store.subscribe((what) => { if (what === "evidence") show(); });
  return show;
}

export function cannotAnswer(store) {
  const { model } = store;
  if (!store.tree) return "This page has no tables to answer from; in Python, model.value_of_information(row) answers.";
  if (model.members && model.ensemble.vote !== "joint") return "These networks have no joint distribution together: choose one network to see what it would measure next.";
  return store.marginals ? null : "These values are impossible together: nothing can be ranked.";
}

/** One line per unknown feature, the most telling first: { index, information, lowest, highest, change, now }. */
export function* valueOfInformation(store) {
  const { model } = store;
  const tree = store.spareTree();
  const evidence = store.featureEvidence();
  tree.setAll(evidence);
  const before = store.estimate ? tree.marginals()[model.target] : tree.answer(model.target);
  const now = store.decide(before);
  const lines = [];
  for (const node of model.nodes) {
    const values = node.gap === null || node.gap === undefined ? node.arity : node.arity - 1;
    const open = evidence[node.index] < 0 || evidence[node.index] === node.gap;
    if (node.index === model.target || !open || values < 2) continue;
    const joints = (store.estimate ? estimatedLogJoints : logJoints)(tree, evidence, node, values, model.target);
    lines.push({ index: node.index, now, before: before[now], ...expected(store, joints, now) });
    yield;
  }
  return lines.sort((a, b) => b.information - a.information);
}

/** ln P(class, value, evidence) for each of the first values of a node: the class as it would be answered then. */
function logJoints(tree, evidence, node, values, target) {
  return Array.from({ length: values }, (_, state) => {
    tree.setAll(evidence);
    tree.set(node.index, state);
    const joint = tree.logJoint(target);
    if (!tree.readings) return joint;
    const value = logSum(joint); // how probable it is, the network says
    return (tree.answer(target) ?? joint.map(() => 0)).map((p) => Math.log(p) + value);
  });
}

/** The same from rows that are drawn with the node unknown: where its gap is set, they would have no other value. */
function estimatedLogJoints(rows, evidence, node, values, target) {
  rows.set(node.index, -1);
  const joint = rows.joint(node.index, target).slice(0, values);
  rows.set(node.index, evidence[node.index]);
  return joint.map((row, state) => {
    const share = row.reduce((a, b) => a + b, 0), measured = Int32Array.from(evidence);
    measured[node.index] = state;
    return share > 0 ? Array.from(rows.answered(measured, row.map((p) => p / share)), (p) => Math.log(share * p)) : row.map(Math.log);
  });
}

/** From ln P(class, value) of every value: the information of the value about the class, and what may be decided. */
function expected(store, joints, now) {
  const top = Math.max(...joints.flat());
  if (top === -Infinity) return { information: 0, lowest: NaN, highest: NaN, change: 0 };
  const joint = joints.map((logs) => logs.map((value) => Math.exp(value - top)));
  const total = joint.flat().reduce((a, b) => a + b, 0);
  const shares = joint.map((row) => row.reduce((a, b) => a + b, 0) / total);
  const classes = joint[0].map((_, c) => joint.reduce((sum, row) => sum + row[c], 0) / total);
  let information = 0, change = 0, lowest = 1, highest = 0;
  joint.forEach((row, s) => {
    if (!(shares[s] > 0)) return;
    const after = row.map((value) => value / total / shares[s]);
    after.forEach((p, c) => { if (p > 0) information += shares[s] * p * Math.log2(p / classes[c]); });
    lowest = Math.min(lowest, after[now]);
    highest = Math.max(highest, after[now]);
    if (store.decide(after) !== now) change += shares[s];
  });
  return { information: Math.max(0, information), lowest, highest, change };
}

function table(store, lines) {
  const { model } = store;
  if (!lines.length) return h("p", { class: "hint" }, "Every value is known: there is nothing more to measure.");
  const most = Math.max(1e-9, lines[0].information);
  const decision = clip(model.nodes[model.target].states[lines[0].now], 24);
  const rest = lines.length - MOST_LINES;
  return [
    scrolled("Values to measure next", h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, h("th", {}, "feature"), h("th", { class: "wide-only" }, "expected information"), h("th", { class: "number" }, "bits"), h("th", {}, `P(${decision}) would be`), h("th", { class: "number" }, "another decision"))),
      h("tbody", {}, lines.slice(0, MOST_LINES).map((line) => row(store, line, most))))),
    rest > 0 ? h("p", { class: "hint" }, `and ${grouped(rest)} more features that tell less`) : null,
  ];
}

function row(store, { index, information, lowest, highest, change, before }, most) {
  const node = store.model.nodes[index];
  const bar = h("span", { class: "meter-bar" });
  bar.style.width = `${(100 * information) / most}%`;
  const span = h("span", { class: "span-bar" }), mark = h("span", { class: "span-now", title: "now" });
  span.style.left = `${100 * lowest}%`;
  span.style.width = `${Math.max(0.5, 100 * (highest - lowest))}%`;
  mark.style.left = `${100 * before}%`;
  return h("tr", { "data-next": index, "data-information": information, "data-lowest": lowest, "data-highest": highest, "data-change": change },
    h("td", {}, h("button", { type: "button", class: "name link", title: [node.name, node.description].filter(Boolean).join("\n"), onclick: () => {
      store.select(index);
      byId("tab-network").click();
    } }, breakable(clip(node.name, 40)))),
    h("td", { class: "meter-cell wide-only" }, h("span", { class: "meter" }, bar)),
    h("td", { class: "number" }, fixed(information, 3)),
    h("td", { class: "span-cell" }, h("span", { class: "span-track" }, span, mark), h("span", { class: "hint" }, ` ${intervalText(lowest, highest, percent)}`)),
    h("td", { class: "number" }, percent(change)));
}
