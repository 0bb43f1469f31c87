// What the reader has set: evidence, the row it came from, the selected node. Views subscribe to changes.

import { Council } from "./council.js";
import { WeightedRows } from "./estimate.js";
import { JunctionTree } from "./junction.js";
import { Sureness } from "./sureness.js";
import { cheapest, mostProbable, roundedPrior, stateOfNumber } from "./model.js";

// Beyond this many table entries exact inference would take too long or too much memory in a browser.
const MOST_ENTRIES = 2 ** 24;

export class Store {
  constructor(model) {
    this.model = model;
    const networks = model.members ?? [model];
    const known = networks.every((each) => each.tables !== undefined);
    this.canInfer = known && networks.reduce((sum, each) => sum + each.entries, 0) <= MOST_ENTRIES; // exactly
    this.estimate = known && !this.canInfer && !model.members ? new WeightedRows(model) : null;
    this.tree = this.canInfer ? newTree(model) : this.estimate;
    this.sureness = model.sure && this.canInfer ? new Sureness(model) : null;
    this.scratch = null;
    this.evidence = new Int32Array(model.nodes.length).fill(-1);
    this.numbers = new Float64Array(model.nodes.length).fill(NaN); // as typed, or as the row has them
    this.prior = this.tree?.marginals() ?? null;
    this.marginals = this.prior;
    this.row = null;
    this.origin = null; // the row of a file that was loaded: { name, truth, evidence }
    this.selected = null;
    this.pinned = null;
    this.filter = null;
    this.listeners = [];
  }

  /** Call back now and after every change of the evidence ("evidence"), of the selection ("selection"), of the rows that are listed ("rows") or of the pinned case ("pinned"). */
  subscribe(listener) {
    this.listeners.push(listener);
    listener("evidence");
    listener("selection");
    listener("rows");
    listener("pinned");
  }

  #notify(what) {
    for (const listener of this.listeners) listener(what);
  }

  /** Set a state, or clear it if it is set already. A feature with one state only is no evidence. */
  toggle(index, state) {
    if (this.model.nodes[index].arity < 2) return;
    this.#assign([[index, this.evidence[index] === state ? -1 : state]]);
  }

  /** Set the state that a number falls into, and keep the number. */
  setNumber(index, value) {
    const node = this.model.nodes[index];
    if (node.arity > 1) this.#assign([[index, stateOfNumber(node, value), value]]);
  }

  clear(index) {
    this.#assign([[index, -1]]);
  }

  clearAll() {
    this.row = this.origin = null;
    this.#assign(this.model.nodes.map((node) => [node.index, -1]));
  }

  /** Take a row of the data as evidence; its missing values stay unset. */
  loadRow(number) {
    this.row = number;
    this.origin = null;
    this.#assign(this.#ofRow(number));
  }

  /** Take a row of a file as evidence: { name, truth, evidence: [[index, state, number]] }. */
  loadCase(origin) {
    this.row = null;
    this.origin = origin;
    const set = new Map(origin.evidence.map((each) => [each[0], each]));
    this.#assign(this.model.nodes.map(({ index }) => set.get(index) ?? [index, -1]));
  }

  #ofRow(number) {
    const { examples, nodes } = this.model;
    return Array.from(examples.codes[number], (state, index) => [index, nodes[index].arity > 1 ? state : -1, examples.numbers[index]?.[number] ?? NaN]);
  }

  /** Nodes whose evidence is not that of the loaded row any more. */
  edited() {
    if (this.row === null && !this.origin) return [];
    return (this.origin?.evidence ?? this.#ofRow(this.row)).filter(([index, state]) => state !== this.evidence[index]).map(([index]) => index);
  }

  /** Back to the row as it was loaded. */
  reset() {
    if (this.row !== null) this.loadRow(this.row);
    else if (this.origin) this.loadCase(this.origin);
  }

  #assign(changes) {
    if (!this.tree) return;
    const start = performance.now();
    for (const [index, state, number] of changes) {
      this.evidence[index] = state;
      this.numbers[index] = state < 0 ? NaN : number ?? NaN;
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

  /** List only some rows of the data: { text, rows }, or all where it is null. */
  listRows(filter) {
    this.filter = filter;
    this.#notify("rows");
  }

  /** Keep this case to compare others with, or let go of the one that is kept. */
  pin() {
    this.pinned = this.pinned ? null : this.snapshot();
    this.#notify("pinned");
  }

  /** What is set now, as plain data: { row, origin, evidence: [[index, state, number]] }. */
  snapshot() {
    return { row: this.row, origin: this.origin, evidence: this.given().map(({ index }) => [index, this.evidence[index], this.numbers[index]]) };
  }

  /** Set everything as a snapshot has it. */
  restore({ row, origin = null, evidence }, pinned = this.pinned) {
    this.row = row;
    this.origin = origin;
    this.pinned = pinned;
    const set = new Map((evidence ?? this.#ofRow(row)).map((each) => [each[0], each]));
    this.#assign(this.model.nodes.map(({ index }) => set.get(index) ?? [index, -1]));
    this.#notify("pinned");
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
    this.scratch ??= this.estimate ? new WeightedRows(this.model) : newTree(this.model);
    return this.scratch;
  }

  /** The class that is decided for, given probabilities: by the page's rule, or the most probable one, or the cheapest. */
  decide(p) {
    const { costs, rule } = this.model;
    if (rule.chosen) return rule.decide(p);
    return costs ? cheapest(p, costs, this.classPrior()) : mostProbable(p, this.classPrior());
  }

  /** What decisions cost: by the model, or as the page's rule has it between two classes. */
  costs() {
    const { costs, rule, nodes, target } = this.model;
    return rule.chosen && nodes[target].arity === 2 ? rule.costs() : costs;
  }

  /** Say again what is set: decisions are made in another way now. */
  decideAgain() {
    this.#notify("evidence");
    this.#notify("rows");
  }

  /** How frequent each class is, rounded as for decisions between equals. */
  classPrior() {
    const { members, ensemble, target } = this.model;
    return roundedPrior(members ? ensemble.prior : this.prior[target]);
  }

  /** Take over what was set and selected before; rows count as loaded still. */
  resume(before) {
    this.selected = before.selected;
    this.filter = before.filter;
    this.restore(before.snapshot(), before.pinned);
  }
}

function newTree(model) {
  return model.members ? new Council(model) : new JunctionTree(model);
}
