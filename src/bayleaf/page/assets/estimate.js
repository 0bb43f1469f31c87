// Estimates: rows drawn from the network, weighed by how well they agree with the evidence (likelihood weighting). They
// answer where the network is too densely connected for exact inference, as `posterior(approximate=...)` does in Python.

import { normalised } from "./junction.js";
import { TwoReadings } from "./readings.js";

const MOST_ROWS = 4000, FEWEST_ROWS = 500;
const MOST_STATES = 1.5e6; // drawn for one answer: a click stays quick
const FEW = 100; // rows of equal weight

export class WeightedRows {
  constructor(model) {
    this.model = model;
    this.count = Math.round(Math.max(FEWEST_ROWS, Math.min(MOST_ROWS, MOST_STATES / model.nodes.length)));
    this.evidence = new Int32Array(model.nodes.length).fill(-1);
    this.drawn = null;
    this.readings = model.readings ? new TwoReadings(model) : null;
  }

  /** Set the state of a node, or -1 for unknown. */
  set(index, state) {
    if (this.evidence[index] === state) return;
    this.evidence[index] = state;
    this.drawn = null;
  }

  setAll(evidence) {
    for (let k = 0; k < evidence.length; k++) this.set(k, evidence[k]);
  }

  /** Rows, and their weights in shares; null where no row agrees with the evidence. */
  #draw() {
    if (!this.drawn) {
      const { rows, logWeights } = drawRows(this.model, this.count, this.evidence);
      const top = logWeights.reduce((a, b) => Math.max(a, b), -Infinity);
      const raw = logWeights.map((value) => Math.exp(value - top));
      const sum = raw.reduce((a, b) => a + b, 0);
      this.drawn = { rows, weights: top === -Infinity ? null : raw.map((weight) => weight / sum) };
    }
    return this.drawn;
  }

  /** Distribution of every node given the evidence; null where no row that was drawn agrees with it. */
  marginals() {
    const { rows, weights } = this.#draw();
    if (!weights) return null;
    const sums = this.model.nodes.map((node) => new Float64Array(node.arity));
    rows.forEach((row, k) => {
      for (let index = 0; index < row.length; index++) sums[index][row[index]] += weights[k];
    });
    const { target } = this.model;
    if (this.readings && this.evidence[target] < 0) sums[target] = this.answered(this.evidence, sums[target]);
    return sums;
  }

  /** What a class of two readings is answered with for some evidence; `shares` are what the rows say. */
  answered(evidence, shares) {
    if (!this.readings) return shares;
    if (this.readings.nothingKnown(evidence)) return Array.from(this.model.nodes[this.model.target].table);
    const least = 0.5 / this.count; // no row of a class does not rule it out
    return normalised(this.readings.scores(evidence, () => Array.from(shares, (share) => Math.log(Math.max(share, least)))));
  }

  /** P(state of a node, state of another | evidence), one row for each state of the first; all 0 where no row agrees. */
  joint(first, second) {
    const { rows, weights } = this.#draw();
    const { nodes } = this.model;
    const table = Array.from({ length: nodes[first].arity }, () => new Array(nodes[second].arity).fill(0));
    if (weights) rows.forEach((row, k) => (table[row[first]][row[second]] += weights[k]));
    return table;
  }

  /** What the answers rest on, in words. */
  basis() {
    const { weights } = this.#draw();
    const worth = weights ? 1 / weights.reduce((sum, weight) => sum + weight * weight, 0) : 0;
    const few = worth < FEW ? " That is too few to rely on: clear values, or ask bayleaf in Python." : "";
    return `estimated from ${this.count.toLocaleString("en")} rows drawn from the network, worth ${Math.round(worth).toLocaleString("en")} after weighing them by what is set.${few}`;
  }
}

/** Rows drawn from the network, always the same ones: parents first, each node by its table, or as the evidence has it; and ln of their weights. */
export function drawRows(model, count, evidence = null) {
  const random = generator(1);
  const rows = [], logWeights = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    const row = new Int32Array(model.nodes.length);
    for (const index of model.topological) {
      const node = model.nodes[index];
      let start = 0;
      for (const parent of node.parents) start = start * model.nodes[parent].arity + row[parent];
      row[index] = evidence && evidence[index] >= 0 ? evidence[index] : drawState(node, start * node.arity, random());
      if (evidence && evidence[index] >= 0) logWeights[k] += Math.log(node.table[start * node.arity + evidence[index]]);
    }
    rows.push(row);
  }
  return { rows, logWeights };
}

function drawState({ table, arity }, start, random) {
  let left = random, state = 0;
  while (state < arity - 1 && (left -= table[start + state]) >= 0) state += 1;
  return state;
}

/** Random numbers from 0 to 1 (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
