// The panel that is always there: what the model decides now, on which evidence, and where the evidence comes from.

import { byId, clip, fill, h, percentOf } from "./dom.js";
import { inWords, shareText, votes } from "./model.js";
import { stateList } from "./whatif.js";

const MOST_CHIPS = 60;

/** Mount the panel; `chooser` lets the reader look at one network of several. */
export function mountDecision(store, chooser = null) {
  const { model } = store;
  const panel = byId("decision");
  const sentence = h("p", { class: "sentence", id: "sentence", "aria-live": "polite" });
  const states = model.target === null ? null : stateList(store, model.nodes[model.target], { most: 8, ranked: true });
  const chips = h("div", { class: "chips", id: "evidence" });
  const clearAll = h("button", { type: "button", class: "quiet", id: "clear", onclick: () => store.clearAll() }, "Clear all");
  const loader = model.examples && model.examples.rows.length ? rowLoader(store) : null;
  fill(panel,
    model.target === null ? null : h("h2", {}, model.nodes[model.target].name),
    chooser,
    sentence,
    states?.element,
    loader?.element,
    h("div", { class: "chips-head" }, h("h3", {}, "Evidence"), clearAll),
    chips,
  );
  store.subscribe((what) => {
    if (what !== "evidence") return;
    states?.update();
    loader?.update();
    const given = store.given();
    clearAll.hidden = given.length === 0;
    showSentence(store, sentence, given);
    fill(chips, given.length ? given.slice(0, MOST_CHIPS).map((node) => chip(store, node))
      : h("p", { class: "hint" }, loader ? "Nothing is set. Click a state under “What if”, or load a row." : "Nothing is set. Click a state under “What if”."));
    if (given.length > MOST_CHIPS) chips.append(h("span", { class: "hint" }, `and ${given.length - MOST_CHIPS} more`));
  });
}

function chip(store, node) {
  const state = store.evidence[node.index];
  const label = node.states[state];
  return h("span", { class: "chip", title: inWords(node, state) },
    h("span", { class: "chip-text" }, h("b", {}, clip(node.name, 28)), ` ${clip(label, 24)}`),
    h("button", { type: "button", "aria-label": `Clear ${clip(node.name, 40)}`, onclick: () => store.clear(node.index) }, "×"));
}

function showSentence(store, element, given) {
  const { model } = store;
  element.classList.toggle("warning", store.canInfer && store.marginals === null);
  if (!store.canInfer) {
    fill(element, model.ensemble?.note ?? "This network is too densely connected for exact answers in a browser; use bayleaf itself for what-if questions.");
  } else if (store.marginals === null) {
    fill(element, "The model considers this combination impossible: its probability is zero. Clear a value.");
  } else if (model.target === null) {
    fill(element, given.length ? `${given.length} of ${model.nodes.length} nodes are set.` : "Set states to see what they change.");
  } else if (store.evidence[model.target] >= 0) {
    fill(element, "The class itself is set: the features show what is typical of it.");
  } else {
    const p = store.marginals[model.target];
    const best = store.decide(p);
    const features = given.length === 0 ? "Before anything is known" : given.length === 1 ? "Given one value" : `Given ${given.length} values`;
    fill(element, `${features}: `, h("strong", {}, clip(model.nodes[model.target].states[best], 60)), ` with ${votes(model) ? shareText(model, p[best]) : percentOf(p, best)}`,
      model.costs ? h("span", { class: "hint" }, " (the class of the smallest expected cost)") : null);
  }
}

function rowLoader(store) {
  const { examples } = store.model;
  const onlyWrong = h("input", { type: "checkbox", id: "only-wrong", onchange: () => list() });
  const choice = h("select", { id: "row", "aria-label": "Row of the data", title: `Rows are counted from 1, the first row of the data.${examples.folds ? " The marks show whether a model fitted without the row predicted it correctly." : ""}`, onchange: () => choice.value !== "" && store.loadRow(Number(choice.value)) });
  const truth = h("p", { class: "hint", id: "truth" });
  const where = examples.folds ? " in cross-validation" : ""; // by models that were fitted without the row
  const shown = () => examples.rows.map((_, k) => k).filter((k) => !onlyWrong.checked || !examples.right[k]);

  function list() {
    const options = shown().map((k) => {
      const mark = examples.truth ? (examples.right[k] ? " ✓ " : " ✗ ") + clip(examples.truth[k], 24) : "";
      return h("option", { value: k }, `row ${examples.rows[k]}${mark}`);
    });
    fill(choice, h("option", { value: "" }, `choose a row (${options.length})`), options);
    choice.value = store.row === null ? "" : String(store.row);
  }

  function step(move) {
    const rows = shown();
    if (!rows.length) return;
    const at = rows.indexOf(store.row);
    store.loadRow(rows[at < 0 ? 0 : (at + move + rows.length) % rows.length]);
  }

  list();
  const wrong = examples.right?.some((right) => !right);
  return {
    element: h("div", { class: "loader" },
      h("h3", {}, "Rows of the data"),
      h("div", { class: "loader-line" },
        h("button", { type: "button", class: "icon", title: "Previous row", "aria-label": "Previous row", onclick: () => step(-1) }, "‹"),
        choice,
        h("button", { type: "button", class: "icon", id: "next-row", title: "Next row", "aria-label": "Next row", onclick: () => step(1) }, "›")),
      wrong ? h("label", { class: "check" }, onlyWrong, ` only rows misclassified${where}`) : null,
      truth),
    update() {
      choice.value = store.row === null ? "" : String(store.row);
      const known = store.row !== null && examples.truth;
      fill(truth, known ? ["True class: ", h("strong", {}, clip(examples.truth[store.row], 60)), examples.right[store.row] ? ` ✓ predicted correctly${where}` : ` ✗ misclassified${where}`] : "");
    },
  };
}
