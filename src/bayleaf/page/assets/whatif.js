// What if: every node with its states; a click sets a state, another clears it.

import { breakable, byId, clip, fill, h, oneStop, percent, percentOf } from "./dom.js";
import { outsideText } from "./evidence_text.js";
import { naturalOrder, numberText, votes } from "./model.js";
import { NO_NUMBER, fieldText, typedNumber } from "./number_texts.js";

const FEW_STATES = 6;
const MORE_STATES = 200;
const ON_PAPER = 40; // so many states of a node are printed

/**
 * The states of a node as bars that can be clicked. The thin mark on a bar is the probability before any evidence.
 * Of many states the first are shown (or, ranked, the most probable), and the one that is set; the rest on demand. Unless
 * they are part of a larger group of controls, they are one stop of Tab.
 */
export function stateList(store, node, { most = FEW_STATES, ranked = false, alone = true } = {}) {
  const element = h("div", { class: "states", role: "group", "aria-label": `States of ${clip(node.name, 60)}` });
  let shown = Math.min(node.arity, node.arity <= most + 2 ? node.arity : most);
  let rows = new Map(), onScreen = shown;
  const showUpTo = (count) => {
    shown = Math.min(node.arity, count);
    build();
    update();
  };
  element.addEventListener("to-paper", () => {
    onScreen = shown;
    if (shown < Math.min(node.arity, ON_PAPER)) showUpTo(ON_PAPER);
  });
  element.addEventListener("to-screen", () => { if (shown !== onScreen) showUpTo(onScreen); });

  const byRank = ranked && shown < node.arity;

  function build() {
    const all = node.index === store.model.target ? naturalOrder(node.states) : [...Array(node.arity).keys()];
    const p = store.marginals?.[node.index];
    if (byRank && p) all.sort((a, b) => p[b] - p[a] || a - b);
    const indices = all.slice(0, shown);
    const set = store.evidence[node.index];
    if (set >= 0 && !indices.includes(set)) indices.push(set);
    rows = new Map(indices.map((state) => [state, stateRow(store, node, state)]));
    const rest = node.arity - shown;
    const more = rest > 0 ? h("button", { type: "button", class: "more", "data-more": node.index, onclick: () => {
      const first = shown;
      showUpTo(shown + MORE_STATES);
      [...rows.values()][first]?.element.focus(); // the button may be gone
    } }, `${rest.toLocaleString("en")} more states`) : null;
    fill(element, [...rows.values()].map((row) => row.element), more);
  }

  function update() {
    const set = store.evidence[node.index];
    if (byRank || (set >= 0 && !rows.has(set))) build();
    const p = store.marginals?.[node.index];
    for (const row of rows.values()) row.update(p, set);
    element.classList.toggle("given", set >= 0);
  }

  build();
  if (alone) oneStop(element);
  return { element, update };
}

function stateRow(store, node, state) {
  const bar = h("span", { class: "bar" });
  const was = h("span", { class: "was", title: "Before any evidence" });
  const value = h("span", { class: "value" });
  const element = h("button", {
    type: "button", class: "state", "data-node": node.index, "data-state": state, "aria-pressed": "false",
    title: node.states[state], disabled: !store.tree || node.arity < 2, onclick: () => store.toggle(node.index, state),
  }, bar, was, h("span", { class: "label" }, node.states[state]), value);
  const before = votes(store.model) && node.index === store.model.target ? store.model.ensemble.prior : store.prior?.[node.index];
  const prior = before?.[state];
  was.hidden = !(prior > 0 && prior < 1);
  if (!was.hidden) was.style.left = `${100 * prior}%`;
  const shown = { width: null, text: null, pressed: false };
  return {
    element,
    /** What looks the same is not written again: of hundreds of features most hardly move. */
    update(p, set) {
      const now = p ? p[state] : NaN;
      const width = `${p ? (100 * now).toFixed(1) : 0}%`, text = percentOf(p, state), pressed = set === state;
      if (width !== shown.width) bar.style.width = width;
      if (text !== shown.text) value.textContent = text;
      if (pressed !== shown.pressed) element.setAttribute("aria-pressed", String(pressed));
      element.dataset.p = String(now);
      Object.assign(shown, { width, text, pressed });
    },
  };
}

export function mountWhatIf(store, view) {
  const { model } = store;
  const features = model.nodes.filter((node) => node.index !== model.target);
  const cards = new Map(features.map((node) => [node.index, featureCard(store, node)]));
  const grid = h("div", { class: "cards" });
  const together = h("div", {});
  const search = h("input", { type: "search", placeholder: "Find a feature or state", "aria-label": "Find a feature or state", oninput: () => arrange() });
  const order = h("select", { "aria-label": "Order", onchange: () => arrange() },
    h("option", { value: "data" }, "in data order"),
    model.target === null ? null : h("option", { value: "class" }, "most informative first"),
    h("option", { value: "change" }, "most changed first"),
    h("option", { value: "name" }, "by name"));
  if (model.target !== null && features.length > 12) order.value = "class";

  function arrange() {
    const focused = grid.contains(document.activeElement) ? document.activeElement : null;
    const wanted = search.value.trim().toLowerCase();
    const found = features.filter((node) => !wanted || node.name.toLowerCase().includes(wanted)
      || node.states.some((label) => label.toLowerCase().includes(wanted)));
    const by = {
      data: () => 0,
      class: (a, b) => b.information - a.information,
      name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
      change: (a, b) => change(store, b) - change(store, a),
    }[order.value];
    fill(grid, found.length ? [...found].sort(by).map((node) => cards.get(node.index).element)
      : h("p", { class: "hint", role: "status" }, `No feature or state is called “${clip(search.value.trim(), 40)}”.`));
    focused?.focus(); // moving a card takes the focus away from what is inside
  }

  fill(view,
    model.caution ? h("p", { class: "note" }, model.caution) : null,
    h("div", { class: "view-head" },
      h("p", { class: "lead" }, h("span", { class: "on-screen" }, "Click a state to set it, click again to clear it. "), `All that is not set counts as unknown and ${store.estimate ? "is estimated" : "follows by exact inference"}.${model.readings ? " The class is answered with caution where values are unknown." : ""} The thin mark is the probability before any evidence.`),
      h("div", { class: "tools" }, search, order,
        model.members || !store.canInfer ? null : h("button", { type: "button", class: "quiet", id: "explain-all", onclick: () => fill(together, mostProbableCard(store)) }, "Most probable together"))),
    together,
    grid);
  arrange();
  store.subscribe((what) => {
    if (what !== "evidence") return;
    fill(together); // it was about the evidence before
    for (const card of cards.values()) card.update();
    if (order.value === "change") arrange();
  });
}

/** The states of everything unknown that are most probable together, and how probable they are given the evidence. */
function mostProbableCard(store) {
  const tree = store.spareTree();
  tree.setAll(store.evidence);
  const evidence = tree.logEvidence();
  if (evidence === -Infinity) return h("p", { class: "hint" }, "The model considers what is set impossible.");
  const { states, logarithm } = tree.mostProbable();
  const open = store.model.nodes.filter((node) => store.evidence[node.index] < 0 && node.arity > 1);
  return h("section", { class: "card", id: "most-probable", "data-probability": Math.exp(logarithm - evidence) },
    h("h2", {}, "Most probable together"),
    h("p", { class: "hint" }, `Of all combinations of the ${open.length} values that are not set, this one is the most probable: ${percent(Math.exp(logarithm - evidence))}.`),
    h("div", { class: "chips" }, open.map((node) => h("span", { class: "chip", "data-likely": node.index, "data-state": states[node.index] }, h("span", { class: "chip-text" }, h("b", {}, clip(node.name, 28)), ` ${clip(node.states[states[node.index]], 24)}`)))));
}

/** Largest change of a probability since nothing was known. */
function change(store, node) {
  if (!store.marginals) return 0;
  return Math.max(...store.marginals[node.index].map((p, k) => Math.abs(p - store.prior[node.index][k])));
}

function featureCard(store, node) {
  const states = stateList(store, node, { alone: false });
  const number = node.cuts && node.arity > 1 ? numberInput(store, node) : null;
  const choice = number || node.arity < 2 ? null : stateChoice(store, node);
  const opener = h("button", { type: "button", class: "icon show-states", "aria-expanded": "false", "aria-label": `States of ${clip(node.name, 40)}`, onclick: () => {
    const open = element.classList.toggle("open");
    opener.setAttribute("aria-expanded", String(open));
  } }, "▾");
  const element = h("section", { class: "card feature", "data-feature": node.index },
    h("header", {},
      h("button", { type: "button", class: "name", title: [`${node.name}: show in the network`, node.description, node.column].filter(Boolean).join("\n"), onclick: () => {
        store.select(node.index);
        byId("tab-network").click();
      } }, breakable(node.name), node.unit ? h("span", { class: "hint" }, ` (${node.unit})`) : null),
      number?.element, choice?.element, opener),
    number?.remark,
    states.element);
  oneStop(element, (each) => each.classList.contains("state"));
  return {
    element,
    update() {
      states.update();
      number?.update();
      choice?.update();
      element.classList.toggle("given", store.evidence[node.index] >= 0);
    },
  };
}

/** The states of a category to choose from, in one line: for narrow screens, and where there are too many to list. */
function stateChoice(store, node) {
  const element = h("select", { class: `choice${node.arity > FEW_STATES + 2 ? " long" : ""}`, "aria-label": `State of ${clip(node.name, 60)}`, onchange: () => {
    const state = Number(element.value);
    if (state < 0) store.clear(node.index);
    else if (state !== store.evidence[node.index]) store.toggle(node.index, state);
  } });
  const option = (state) => h("option", { value: state }, state < 0 ? "unknown" : clip(node.states[state], 60));
  const list = (states) => fill(element, [-1, ...states].map(option));
  const all = () => element.options.length > node.arity || list([...Array(node.arity).keys()]);
  for (const event of ["focus", "pointerdown"]) element.addEventListener(event, all); // of many features few are opened
  const update = () => {
    const set = store.evidence[node.index];
    if (element.options.length <= node.arity) list(set < 0 ? [] : [set]);
    element.value = String(set);
  };
  if (node.arity <= MORE_STATES) all();
  return { element, update };
}

/** How dates and times are typed, how they are counted, and how they are written back; durations are numbers of seconds. */
const MOMENTS = {
  date: ["date", (text) => Date.parse(text) / 864e5, (node, value) => numberText(node, value)],
  datetime: ["datetime-local", (text) => Date.parse(`${text}Z`) / 1000, (node, value) => numberText(node, value).replace(" ", "T")],
  time: ["time", (text) => Date.parse(`1970-01-01T${text}Z`) / 1000, (node, value) => numberText(node, value)],
};

/**
 * A field to type a number into; it sets the interval that the number falls into, and empty it clears it. Points and
 * commas are both read as decimal, and what was read is said; what is no number, or may be two, is refused. A number
 * outside everything seen in training is taken, with a caution.
 */
export function numberInput(store, node) {
  const [type, readMoment, writeMoment] = MOMENTS[node.moment] ?? ["text", null, null];
  const read = (text) => (readMoment ? { value: readMoment(text) } : typedNumber(text, node.style));
  const write = (number) => (writeMoment ? writeMoment(node, number) : fieldText(number, node.style));
  const remark = h("p", { class: "remark", role: "status", hidden: true });
  let echo = null; // how the number that is set was read
  const say = (caution, problem = false) => {
    fill(remark, echo ? h("span", { class: "hint" }, `${echo}${caution ? "; " : ""}`) : null, caution);
    remark.hidden = !echo && !caution;
    element.setAttribute("aria-invalid", String(problem));
  };
  const refuse = (problem) => {
    echo = null;
    say(problem, true);
  };
  const element = h("input", {
    type, step: readMoment ? "any" : null, inputmode: readMoment ? null : "decimal", autocomplete: "off", class: `number${readMoment ? " moment" : ""}`, placeholder: node.moment ? "seconds" : "value", "aria-label": `Value of ${clip(node.name, 60)}`,
    onchange: () => {
      if (element.validity.badInput) refuse(NO_NUMBER);
      else if (element.value.trim() === "") store.clear(node.index);
      else {
        const { value, problem = Number.isNaN(value) ? NO_NUMBER : null, echo: said = null } = read(element.value);
        if (problem) refuse(problem);
        else {
          echo = said;
          store.setNumber(node.index, value);
        }
      }
    },
  });
  return {
    element, remark,
    /** A number that does not stand for the evidence any more must not stay, nor what was said of it. */
    update() {
      const number = store.numbers[node.index];
      if (Number.isNaN(number) || read(element.value).value !== number) echo = null;
      if (document.activeElement !== element || Number.isNaN(number)) element.value = Number.isNaN(number) ? "" : write(number);
      say(outsideText(store, node));
    },
  };
}
