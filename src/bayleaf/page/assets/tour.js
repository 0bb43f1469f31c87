// A tour of six stops for whoever sees such a page for the first time; words that are not self-evident open.

import { byId, fill, h } from "./dom.js";

const WORDS = {
  evidence: "What is known about a case: the values that are set. Also the weight of one of them, in log-odds.",
  state: "A value that a feature can have: a category, or an interval of numbers.",
  posterior: "The probabilities of the classes, given the evidence.",
  arc: "An arrow from a parent to a child: the table of the child depends on the parent. It does not say that one causes the other.",
  "log-odds": "The logarithm of P(one class) / P(another). Weights of evidence are added up in it, as one adds up money.",
  bits: "A measure of information: one bit is what the answer to a fair yes-or-no question tells.",
  conflict: "How much less probable values are together than they would be if they were independent, as a logarithm. From 1 on they contradict one another.",
  "held-out rows": "Rows that the model has not seen while it was learned. Only these show how good it is.",
  calibration: "Agreement of confidence and accuracy: of the rows predicted with 80% confidence, 80% are right.",
  PPV: "Positive predictive value: of the rows predicted positive, the share that is.",
};

/** A word in a text: "[[log-odds]]" opens what it means. */
function withWords(text, meaning) {
  return text.split(/\[\[|\]\]/).map((part, k) => (k % 2 === 0 ? part
    : h("button", { type: "button", class: "link word", "aria-expanded": "false", onclick: (event) => {
      const open = meaning.dataset.word === part ? null : part;
      meaning.dataset.word = open ?? "";
      fill(meaning, open ? [h("b", {}, part), `: ${WORDS[part]}`] : "");
      for (const word of event.target.closest("section").querySelectorAll(".word")) word.setAttribute("aria-expanded", String(word.textContent === open));
    } }, part)));
}

function stops(model) {
  const name = model.nodes[model.target].name;
  return [
    { view: "network", at: "#view-network .canvas", title: "A network", text: `Each box is a column of the data, and ${name} is what is predicted. An [[arc]] says that the table of a box depends on another. Click a box to see its table.` },
    { view: "whatif", at: "#view-whatif .cards", title: "What if", text: "Set a [[state]], or type a number. Everything else follows at once. What is not set counts as unknown." },
    { view: "whatif", at: "#decision", title: "The answer", text: "Here is the [[posterior]]: how probable each class is, given the [[evidence]]. Below it: how much is known, and how usual the case is. Values in [[conflict]] are pointed out." },
    { view: "why", at: "#evidence-bars", title: "Why", text: "Every value pushes towards a class or away from it. The pushes, in [[log-odds]], add up exactly to the answer. Below: what is enough on its own, and the smallest changes that would turn the decision." },
    { view: "next", at: "#next-values", title: "What to measure next", text: "For each unknown value: how much measuring it would tell about the class, in [[bits]], before anyone measures it." },
    { view: "quality", at: "#body-quality", title: "How good it is", text: "What the model got right on [[held-out rows]]. Look at [[calibration]] before you trust a probability, at [[PPV]] before you act on a positive, and at the groups where it fails." },
  ];
}

/** A button that starts the tour, and the card that leads through it; `show(view)` brings a view into sight. */
export function mountTour(model, show) {
  const card = byId("tour"), start = byId("start-tour"), all = stops(model);
  let at = 0, marked = null;
  start.hidden = false;

  function leave() {
    marked?.classList.remove("toured");
    card.hidden = true;
    start.focus();
  }

  function go(to) {
    at = to;
    const stop = all[at], meaning = h("p", { class: "hint", role: "status" });
    show(stop.view);
    marked?.classList.remove("toured");
    marked = document.querySelector(stop.at);
    marked?.classList.add("toured");
    marked?.scrollIntoView({ block: "nearest" });
    const button = (text, to, disabled) => h("button", { type: "button", class: "quiet", disabled, onclick: () => go(to) }, text);
    const next = at + 1 < all.length ? button("Next", at + 1, false) : h("button", { type: "button", class: "quiet", onclick: leave }, "Done");
    fill(card, h("header", { class: "card-head" }, h("h2", { tabindex: -1 }, `${at + 1} of ${all.length}: ${stop.title}`),
      h("button", { type: "button", class: "icon", "aria-label": "Leave the tour", onclick: leave }, "×")),
    h("p", {}, withWords(stop.text, meaning)), meaning, h("div", { class: "tools" }, button("Back", at - 1, at === 0), next));
    card.hidden = false;
    card.querySelector("h2").focus({ preventScroll: true });
  }

  start.addEventListener("click", () => go(0));
  card.addEventListener("keydown", (event) => { if (event.key === "Escape") leave(); });
}
