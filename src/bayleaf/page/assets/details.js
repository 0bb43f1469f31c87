// The selected node: its states, facts about it, and its table as a heat map.

import { clip, fill, fixed, grouped, h, percent, s, scrolled, shade } from "./dom.js";
import { numberText } from "./model.js";
import { styled } from "./numerals.js";
import { numberInput, stateList } from "./whatif.js";

const MOST_ROWS = 120;
const MOST_COLUMNS = 24;

/** Mount the panel; `leave` takes the focus when it is closed. */
export function mountDetails(store, element, leave) {
  let states = null, number = null;
  const close = () => {
    store.select(null);
    leave();
  };
  element.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  store.subscribe((what) => {
    if (what === "evidence") {
      states?.update();
      number?.update();
    }
    if (what !== "selection") return;
    states = number = null;
    element.hidden = store.selected === null;
    if (store.selected === null) return;
    const node = store.model.nodes[store.selected];
    states = stateList(store, node, { most: 12 });
    number = node.cuts && node.arity > 1 ? numberInput(store, node) : null;
    fill(element,
      h("header", { class: "details-head" },
        h("h2", { title: node.name }, node.name),
        h("button", { type: "button", class: "icon", title: "Close", "aria-label": "Close", onclick: close }, "×")),
      node.description ? h("p", { class: "hint" }, node.description) : null,
      facts(store.model, node),
      h("h3", {}, "Now"), number?.element, number?.remark, states.element,
      node.cuts && node.cuts.length ? [h("h3", {}, "Cut points"), numberLine(node)] : null,
      h("h3", {}, tableTitle(node)), node.table ? heatMap(store.model, node) : h("p", { class: "hint" }, noTable(store.model)));
    states.update();
    number?.update();
  });
}

function facts(model, node) {
  const names = (indices) => indices.map((k) => clip(model.nodes[k].name, 40)).join(", ") || "none";
  const most = model.members ? ", in most networks" : "";
  const rows = [[`Parents${most}`, names(node.parents)], [`Children${most}`, names(node.children)]];
  if (node.absent) rows.unshift(["Not used", "this network was learned without it"]);
  if (node.information !== null) rows.push(["Information about the class", `${fixed(node.information, 3)} bits`]);
  if (node.missing !== null && node.missing !== undefined) rows.push(["Missing in training", percent(node.missing)]);
  if (model.target !== null && node.index !== model.target) {
    rows.push(["Markov blanket of the class", node.blanket ? "inside" : "outside: no influence once the others are known"]);
  }
  rows.push(["Kind", kind(node)]);
  if (node.unit) rows.push(["Unit", node.unit]);
  if (node.column) rows.push(["Column", node.column]);
  if (node.range) rows.push(["Range in training", `${numberText(node, node.range[0])} to ${numberText(node, node.range[1])}`]);
  return h("dl", { class: "facts" }, rows.map(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
}

function kind(node) {
  if (!node.cuts) return `categorical, ${grouped(node.arity)} states`;
  const intervals = node.cuts.length + 1;
  const gap = node.arity > intervals ? ", and a state of missing values" : "";
  return `${node.moment ?? "numeric"}, ${intervals} interval${intervals > 1 ? "s" : ""}${gap}`;
}

/** The number line with its cut points, evenly spaced where they are crowded. */
function numberLine(node) {
  const width = 300, cuts = node.cutTexts.map((text) => styled(text, node.style));
  const few = cuts.length <= 7 && cuts.join("  ").length <= 60; // else they would not fit
  const line = s("svg", { viewBox: `0 0 ${width} 46`, class: "number-line", role: "img", "aria-label": `Cut points ${cuts.join(", ")}` });
  line.append(s("line", { x1: 6, x2: width - 6, y1: 14, y2: 14, class: "rule" }));
  cuts.forEach((cut, k) => {
    const x = 6 + ((k + 1) / (cuts.length + 1)) * (width - 12);
    line.append(s("line", { x1: x, x2: x, y1: 7, y2: 21, class: "cut" }));
    if (few) line.append(s("text", { x, y: 35, class: "tick", "text-anchor": "middle" }, cut));
  });
  if (!few) {
    line.append(s("text", { x: 6, y: 35, class: "tick" }, `${cuts.length} cuts from ${cuts[0]} to ${cuts.at(-1)}`));
  }
  return line;
}

function noTable(model) {
  return model.members ? "Every network has a table of its own: choose one network to see it." : model.ensemble.note;
}

function tableTitle(node) {
  return node.parents.length ? "Table, given the parents" : "Table";
}

/** One line per combination of parent states, one column per state; darker is more probable. */
function heatMap(model, node) {
  const rows = node.table.length / node.arity;
  const shownRows = Math.min(rows, MOST_ROWS), shownStates = Math.min(node.arity, MOST_COLUMNS);
  const head = h("tr", {}, node.parents.map((p) => h("th", { scope: "col", class: "parent", title: model.nodes[p].name }, clip(model.nodes[p].name, 14))),
    node.states.slice(0, shownStates).map((label) => h("th", { scope: "col", title: label }, clip(label, 12))));
  const body = [];
  for (let row = 0; row < shownRows; row++) {
    const cells = [];
    for (let state = 0; state < shownStates; state++) {
      const p = node.table[row * node.arity + state];
      const cell = h("td", { title: `${node.states[state]}: ${p.toPrecision(4)}` }, percent(p));
      shade(cell, "background", p);
      cells.push(cell);
    }
    body.push(h("tr", {}, parentStates(model, node, row).map((label) => h("th", { scope: "row", title: label }, clip(label, 14))), cells));
  }
  const left = [];
  if (shownRows < rows) left.push(`${grouped(rows - shownRows)} more parent combinations`);
  if (shownStates < node.arity) left.push(`${grouped(node.arity - shownStates)} more states`);
  return scrolled("Table of the node", h("table", { class: "heat" }, h("thead", {}, head), h("tbody", {}, body)),
    left.length ? h("p", { class: "hint" }, `Not shown: ${left.join(", ")}.`) : null);
}

function parentStates(model, node, row) {
  const labels = [];
  let rest = row;
  for (let k = node.parents.length - 1; k >= 0; k--) {
    const parent = model.nodes[node.parents[k]];
    labels.unshift(parent.states[rest % parent.arity]);
    rest = Math.floor(rest / parent.arity);
  }
  return labels;
}
