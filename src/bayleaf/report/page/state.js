// What the reader has set: evidence, the row it came from, the selected node. Views subscribe to changes.

import { Council } from "./council.js";
import { JunctionTree } from "./junction.js";
import { cheapest, mostProbable, roundedPrior } from "./model.js";

// Beyond this many table entries exact inference would take too long or too much memory in a browser.
const MOST_ENTRIES = 2 ** 24;

export class Store {
  constructor(model) {
    this.model = model;
    const networks = model.members ?? [model];
    this.canInfer = networks.every((each) => each.tables !== undefined) && networks.reduce((sum, each) => sum + each.entries, 0) <= MOST_ENTRIES;
    this.tree = this.canInfer ? newTree(model) : null;
    this.scratch = null;
    this.evidence = new Int32Array(model.nodes.length).fill(-1);
    this.prior = this.canInfer ? this.tree.marginals() : null;
    this.marginals = this.prior;
    this.row = null;
    this.selected = null;
    this.listeners = [];
  }

  /** Call back now and after every change of the evidence ("evidence") or of the selection ("selection"). */
  subscribe(listener) {
    this.listeners.push(listener);
    listener("evidence");
    listener("selection");
  }

  #notify(what) {
    for (const listener of this.listeners) listener(what);
  }

  /** Set a state, or clear it if it is set already. */
  toggle(index, state) {
    this.row = null;
    this.#assign([[index, this.evidence[index] === state ? -1 : state]]);
  }

  clear(index) {
    this.row = null;
    this.#assign([[index, -1]]);
  }

  clearAll() {
    this.row = null;
    this.#assign(this.model.nodes.map((node) => [node.index, -1]));
  }

  /** Take a row of the data as evidence; its missing values stay unset. */
  loadRow(number) {
    this.row = number;
    this.#assign(Array.from(this.model.examples.codes[number], (state, index) => [index, state]));
  }

  #assign(changes) {
    if (!this.canInfer) return;
    const start = performance.now();
    for (const [index, state] of changes) {
      this.evidence[index] = state;
      this.tree.set(index, state);
    }
    this.marginals = this.tree.marginals();
    this.#notify("evidence");
    document.body.dataset.updateMs = (performance.now() - start).toFixed(2);
  }

  select(index) {
    this.selected = index;
    this.#notify("selection");
  }

  /** Nodes with evidence, in node order. */
  given() {
    return this.model.nodes.filter((node) => this.evidence[node.index] >= 0);
  }

  /** Evidence on the features alone. */
  featureEvidence() {
    const evidence = Int32Array.from(this.evidence);
    if (this.model.target !== null) evidence[this.model.target] = -1;
    return evidence;
  }

  /** A second tree for questions that must not disturb the first. */
  spareTree() {
    this.scratch ??= newTree(this.model);
    return this.scratch;
  }

  /** The class that the model decides for, given probabilities: the most probable one, or the cheapest. */
  decide(p) {
    const { costs } = this.model;
    return costs ? cheapest(p, costs, this.classPrior()) : mostProbable(p, this.classPrior());
  }

  /** How frequent each class is, rounded as for decisions between equals. */
  classPrior() {
    const { members, ensemble, target } = this.model;
    return roundedPrior(members ? ensemble.prior : this.prior[target]);
  }

  /** Take over what was set and selected before; rows count as loaded still. */
  resume({ evidence, row, selected }) {
    this.row = row;
    this.selected = selected;
    this.#assign(Array.from(evidence, (state, index) => [index, state]));
  }
}

function newTree(model) {
  return model.members ? new Council(model) : new JunctionTree(model);
}
