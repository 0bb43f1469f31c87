// Compare: a case that was kept as A beside the present one, B.

import { classPosterior } from "./reasons.js";
import { clip, fill, focusOn, h, percent } from "./dom.js";
import { naturalOrder } from "./model.js";

/** Mount the card above the views; it shows as long as a case is kept. */
export function mountCompare(store, element) {
  const show = () => {
    element.hidden = !store.pinned || !store.canInfer;
    if (!element.hidden) fill(element, card(store));
  };
  store.subscribe((what) => { if (what === "evidence" || what === "pinned") show(); });
}

function card(store) {
  const { model, pinned } = store;
  const a = new Int32Array(model.nodes.length).fill(-1), b = store.evidence;
  for (const [index, state] of pinned.evidence) a[index] = state;
  const differing = model.nodes.filter((node) => a[node.index] !== b[node.index] && node.index !== model.target);
  return [
    h("header", { class: "card-head" }, h("h2", {}, `A: ${caseName(store, pinned)}, compared with B: ${caseName(store, store.snapshot())}`),
      h("div", { class: "tools" },
        h("button", { type: "button", class: "quiet", onclick: () => store.restore(pinned) }, "Go back to A"),
        h("button", { type: "button", class: "quiet", id: "unpin", onclick: () => {
          store.pin();
          focusOn("pin");
        } }, "Let go of A"))),
    h("div", { class: "pair" }, model.target === null ? null : classTable(store, a), valueTable(model, differing, a, b)),
  ];
}

function caseName(store, { row, origin, evidence }) {
  const values = evidence.length;
  return origin ? origin.name : row === null ? (values ? `${values} ${values === 1 ? "value" : "values"} set` : "nothing set") : `row ${store.model.examples.rows[row]}`;
}

function classTable(store, a) {
  const { model } = store;
  const target = model.nodes[model.target];
  const [before, now] = [classPosterior(model, store.spareTree(), a), classPosterior(model, store.spareTree(), store.featureEvidence())];
  const cell = (p, k) => h("td", { class: "number" }, !p ? "–" : store.decide(p) === k ? h("strong", {}, percent(p[k])) : percent(p[k]));
  return h("table", { class: "plain", id: "compare-classes" },
    h("thead", {}, h("tr", {}, h("th", {}, clip(target.name, 30)), h("th", { class: "number" }, "A"), h("th", { class: "number" }, "B"))),
    h("tbody", {}, naturalOrder(target.states).map((k) => h("tr", {}, h("td", {}, clip(target.states[k], 40)), cell(before, k), cell(now, k)))));
}

function valueTable(model, nodes, a, b) {
  if (!nodes.length) return h("p", { class: "hint" }, "The two cases have the same values.");
  const text = (node, state) => (state < 0 ? h("span", { class: "hint" }, "unknown") : clip(node.states[state], 30));
  return h("table", { class: "plain", id: "compare-values" },
    h("thead", {}, h("tr", {}, h("th", {}, "value"), h("th", {}, "A"), h("th", {}, "B"))),
    h("tbody", {}, nodes.map((node) => h("tr", { "data-differs": node.index }, h("td", {}, clip(node.name, 30)), h("td", {}, text(node, a[node.index])), h("td", {}, text(node, b[node.index]))))));
}
