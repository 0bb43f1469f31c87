// The panel that is always there: what the model decides now, on which evidence, and where the evidence comes from.

import { borderText, nearBorder } from "./borders.js";
import { breakable, byId, clip, fill, focusOn, grouped, h, percent, percentOf, tied } from "./dom.js";
import { knownText, outsideText, valueText } from "./evidence_text.js";
import { inWords, shareText, votes } from "./model.js";
import { rightOf } from "./rule.js";
import { sureText } from "./sureness.js";
import { mountTypical } from "./typical.js";
import { stateList } from "./whatif.js";

const MOST_CHIPS = 60;
const SURE = "90% interval: with very many training rows the probability would probably lie here.";
const NARROW = "(max-width: 1000px)";

/** Mount the panel; `chooser` lets the reader look at one network of several, `printCase` prints the case sheet. */
export function mountDecision(store, { chooser = null, printCase }) {
  const { model } = store;
  const panel = byId("decision");
  const sentence = h("p", { class: "sentence", id: "sentence", "aria-live": "polite" });
  const known = h("p", { class: "hint", id: "known" });
  const states = model.target === null ? null : stateList(store, model.nodes[model.target], { most: 8, ranked: true });
  const chips = h("div", { class: "chips", id: "evidence" });
  const clearAll = h("button", { type: "button", class: "quiet", id: "clear", onclick: () => {
    store.clearAll();
    focusOn("evidence");
  } }, "Clear all");
  const pin = h("button", { type: "button", class: "quiet", id: "pin", title: "Keep this case, to compare others with it", onclick: () => store.pin() });
  const print = h("button", { type: "button", class: "quiet", id: "print-case", title: "One page for this case", onclick: printCase }, "Case sheet");
  const loader = model.examples && model.examples.rows.length ? rowLoader(store) : null;
  const typical = h("p", { class: "hint", id: "typical" });
  const basis = store.estimate ? h("p", { class: "note", id: "estimated" }) : null;
  const fileInput = byId("csv-file") ?? h("input", { type: "file", id: "csv-file", accept: ".csv,.tsv,text/csv" });
  const caseInAddress = byId("case-in-address") ?? h("input", { type: "checkbox", id: "case-in-address" });
  const heading = h("h3", {}), origin = h("p", { class: "hint", id: "origin", tabindex: -1 });
  chips.tabIndex = -1;
  fill(panel,
    h("h2", {}, model.target === null ? "The case" : model.nodes[model.target].name),
    model.target !== null && model.nodes[model.target].description ? h("p", { class: "hint" }, model.nodes[model.target].description) : null,
    chooser,
    basis,
    sentence,
    known,
    states?.element,
    typical,
    loader?.element,
    origin,
    h("details", { class: "fold", id: "case", open: !matchMedia(NARROW).matches },
      h("summary", {}, heading),
      h("div", { class: "tools" }, clearAll, store.canInfer ? [pin, model.target === null ? null : print] : null),
      chips,
      h("label", { class: "check", title: "Addresses are kept in the history of the browser, and sent with a link" }, caseInAddress, " put these values into the address"),
      h("label", { class: "hint file", hidden: !store.canInfer || model.target === null }, "Predict a CSV file, here in the browser (or drop it on the page): ", fileInput)),
  );
  mountTypical(store, typical);
  store.subscribe((what) => {
    if (what === "pinned") fill(pin, store.pinned ? "Let go of A" : "Keep as A");
    if (what !== "evidence") return;
    states?.update();
    loader?.update();
    fill(origin, store.origin ? originText(store) : "");
    const given = store.given(), edited = new Set(store.edited());
    clearAll.hidden = given.length === 0;
    fill(heading, given.length ? `Evidence (${given.length})` : "Evidence");
    showSentence(store, sentence, given);
    fill(known, model.target === null || !store.marginals || store.evidence[model.target] >= 0 ? "" : knownText(model, store.evidence));
    if (basis) fill(basis, `This network is too densely connected for exact answers in a browser. Probabilities are ${store.estimate.basis()}`);
    fill(byId("verdict-line"), verdictLine(store, given));
    fill(chips, given.length ? given.slice(0, MOST_CHIPS).map((node) => chip(store, node, edited))
      : h("p", { class: "hint" }, loader ? "Nothing is set. Click a state under “What if”, or load a row." : "Nothing is set. Click a state under “What if”."));
    if (given.length > MOST_CHIPS) chips.append(h("span", { class: "hint" }, `and ${given.length - MOST_CHIPS} more`));
  });
  store.subscribe((what) => { if (what === "rows") loader?.list(); });
}

function chip(store, node, edited) {
  const state = store.evidence[node.index];
  const number = store.numbers[node.index], near = nearBorder(node, number);
  const odd = outsideText(store, node), changed = edited.has(node.index), border = near ? borderText(node, number, near.cut) : null;
  return h("span", { class: `chip${changed ? " edited" : ""}${odd ? " odd" : ""}`, title: [inWords(node, state), odd, border, changed ? "changed since the row was loaded" : null].filter(Boolean).join("; ") },
    h("span", { class: "chip-text" }, changed ? "✎ " : null, h("b", {}, breakable(clip(node.name, 40))), ` ${tied(clip(valueText(store, node), 28))}`, odd ? h("em", {}, ` ${odd}`) : border ? h("span", { class: "hint", "data-near": node.index }, ` ${border}`) : null),
    h("button", { type: "button", "aria-label": `Clear ${clip(node.name, 40)}`, onclick: () => {
      store.clear(node.index);
      focusOn("evidence"); // the button is gone
    } }, "×"));
}

/** The verdict in a few words, for a line that stays in sight on a narrow screen. */
function verdictLine(store, given) {
  const { model } = store;
  if (model.target === null || !store.marginals) return store.tree && !store.marginals ? "impossible combination" : "";
  const p = store.marginals[model.target], best = store.decide(p);
  return [h("strong", {}, clip(model.nodes[model.target].states[best], 40)), ` ${verdictShare(store, p, best, given)}`, h("span", { class: "hint" }, ` · ${given.length} set`)];
}

function showSentence(store, element, given) {
  const { model } = store;
  element.classList.toggle("warning", store.tree !== null && store.marginals === null);
  if (!store.tree) {
    fill(element, model.ensemble.note);
  } else if (store.marginals === null) {
    fill(element, store.estimate ? "None of the rows drawn from the network agrees with what is set: it is impossible, or too rare to be estimated. Clear a value." : "The model considers this combination impossible: its probability is zero. Clear a value.");
  } else if (model.target === null) {
    fill(element, given.length ? `${given.length} of ${model.nodes.length} nodes are set.` : "Set states to see what they change.");
  } else if (store.evidence[model.target] >= 0) {
    fill(element, "The class itself is set: the features show what is typical of it.");
  } else {
    const p = store.marginals[model.target];
    const best = store.decide(p);
    const features = given.length === 0 ? "Before anything is known" : given.length === 1 ? "Given one value" : `Given ${given.length} values`;
    fill(element, `${features}: `, h("strong", {}, clip(model.nodes[model.target].states[best], 60)), ` with ${verdictShare(store, p, best, given)}`,
      store.sureness ? [" ", intervalOf(store, best)] : null,
      model.rule.chosen ? h("span", { class: "hint", id: "rule-now" }, ` (decided by a threshold: ${model.rule.text(model.nodes[model.target].states)})`)
        : model.costs ? h("span", { class: "hint" }, " (the class of the smallest expected cost)") : null);
  }
}

function intervalOf(store, best) {
  const [low, high] = store.sureness.limits(store.tree)[best];
  return h("span", { class: "hint", id: "interval", title: SURE, "data-low": low, "data-high": high }, sureText([low, high]));
}

/** How sure: votes with the mean probability beside them, and before any evidence that alone. */
function verdictShare(store, p, best, given) {
  const { model } = store;
  if (!votes(model)) return percentOf(p, best);
  const mean = percent(store.tree.meanPosterior(model.target)[best]);
  return given.length ? `${shareText(model, p[best])}, ${mean} on average` : `${mean} on average over the networks`;
}

function rowLoader(store) {
  const { examples } = store.model;
  const onlyWrong = h("input", { type: "checkbox", id: "only-wrong", onchange: () => list() });
  const choice = h("select", { id: "row", "aria-label": "Row of the data", title: `Rows are counted from 1, the first row of the data.${examples.folds ? " The marks show whether a model fitted without the row predicted it correctly." : ""}`, onchange: () => choice.value !== "" && store.loadRow(Number(choice.value)) });
  const truth = h("p", { class: "hint", id: "truth" });
  const filter = h("p", { class: "filter", id: "row-filter", hidden: true });
  const where = examples.folds ? " in cross-validation" : ""; // by models that were fitted without the row
  const shown = () => (store.filter?.rows ?? examples.rows.map((_, k) => k)).filter((k) => !onlyWrong.checked || !rightOf(store.model, k));

  function list() {
    const options = shown().map((k) => {
      const mark = examples.truth ? (rightOf(store.model, k) ? " ✓ " : " ✗ ") + clip(examples.truth[k], 24) : "";
      return h("option", { value: k }, `row ${examples.rows[k]}${mark}`);
    });
    fill(choice, h("option", { value: "" }, `row … (${grouped(options.length)} of ${grouped(examples.total ?? examples.rows.length)})`), options);
    choice.value = store.row === null ? "" : String(store.row);
    filter.hidden = !store.filter;
    if (store.filter) {
      fill(filter, `${store.filter.text} `, h("button", { type: "button", class: "quiet", onclick: () => {
        store.listRows(null);
        choice.focus();
      } }, "All rows"));
    }
  }

  function step(move) {
    const rows = shown();
    if (!rows.length) return;
    const at = rows.indexOf(store.row);
    store.loadRow(rows[at < 0 ? 0 : (at + move + rows.length) % rows.length]);
  }

  const wrong = examples.right?.some((right) => !right);
  return {
    list,
    element: h("details", { class: "loader", open: !matchMedia(NARROW).matches },
      h("summary", {}, h("h3", {}, "Rows of the data")),
      h("div", { class: "loader-line" },
        h("button", { type: "button", class: "icon", title: "Previous row", "aria-label": "Previous row", onclick: () => step(-1) }, "‹"),
        choice,
        h("button", { type: "button", class: "icon", id: "next-row", title: "Next row", "aria-label": "Next row", onclick: () => step(1) }, "›")),
      filter,
      wrong ? h("label", { class: "check" }, onlyWrong, ` only rows misclassified${where}`) : null,
      truth),
    update() {
      choice.value = store.row === null ? "" : String(store.row);
      fill(truth, store.row === null ? "" : rowText(store, where));
    },
  };
}

/** The row of a file that was loaded, its class where the file has it, and what was changed since. */
function originText(store) {
  const { name, truth } = store.origin, changes = store.edited().length;
  const back = byId("predictions").hidden ? null : h("button", { type: "button", class: "quiet", onclick: () => byId("predictions").scrollIntoView() }, "All its rows");
  return [`R${name.slice(1)}.`, truth === null ? null : [" True class: ", h("strong", {}, clip(truth, 60)), "."],
    changes ? [` ${changes === 1 ? "One value" : `${changes} values`} changed. `, h("button", { type: "button", class: "quiet", id: "reset-case", onclick: () => {
      store.reset();
      focusOn("origin");
    } }, "Reset")] : null, " ", back];
}

/** What is known of the loaded row, and what was changed since. */
function rowText(store, where) {
  const { examples } = store.model;
  const known = examples.truth ? [h("span", { class: "on-paper" }, `Row ${examples.rows[store.row]}. `), "True class: ", h("strong", {}, clip(examples.truth[store.row], 60)), rightOf(store.model, store.row) ? ` ✓ predicted correctly${where}` : ` ✗ misclassified${where}`] : `Row ${examples.rows[store.row]}`;
  const changes = store.edited().length;
  if (!changes) return known;
  return [known, h("br"), `Row ${examples.rows[store.row]} with ${changes === 1 ? "one value" : `${changes} values`} changed. `,
    h("button", { type: "button", class: "quiet", id: "reset", onclick: () => {
      store.reset();
      focusOn("row");
    } }, "Reset")];
}
