// How sure a probability is: the interval of P(class | what is known), as `predict_interval` has it in Python. The
// formula stands in the docs of bayleaf.classify.certainty.

import { intervalText, percent } from "./dom.js";
import { decodeFloats } from "./model.js";

const LEAST_ROWS = 0.05; // no share is smaller than that of so many rows, whatever a table says

export class Sureness {
  constructor(model) {
    const { nodes, target, sure } = model;
    Object.assign(this, sure, { nodes, target });
    this.logPrior = Array.from(nodes[target].table, Math.log);
    this.telling = nodes.filter((node) => node.index !== target && node.arity > 1);
    const numbers = decodeFloats(sure.counts, sure.precision);
    this.sums = new Map(); // by feature, see ofStates
    let start = 0;
    this.cells = nodes.map((node) => numbers.subarray(start, (start += node.table.length)));
    this.most = Math.log1p(this.cells[target].reduce((sum, value) => sum + value, 0)); // log-odds that the rows support
  }

  /** The interval of each class for what the tree knows: [low, high]. */
  limits(tree) {
    const { target } = this, evidence = tree.readings ? tree.readings.asRead(tree.evidence) : tree.evidence;
    const answers = logShares(tree.scores(target)), given = logOdds(answers);
    const joint = tree.logJointOf(evidence, target);
    const other = logOdds(logShares(joint.map((value, c) => this.factor * (value - this.logPrior[c]) + this.logPrior[c])));
    const unknown = this.telling.filter(({ index }) => evidence[index] < 0).length / Math.max(this.telling.length, 1);
    const share = this.share + (1 - this.share) * Math.min(3 * unknown, 1);
    const missed = this.nodes.reduce((sum, { index }) => sum + (this.known(evidence, index) ? this.missed[index] : 0), 0) * (1 - unknown);
    const [down, up] = this.counting(evidence);
    return given.map((odds, c) => {
      const others = logShares(answers.filter((_, k) => k !== c)).map((value) => Math.exp(value) ** 2 || 0);
      const sum = (own, theirs) => own[c] + theirs.filter((_, k) => k !== c).reduce((total, value, k) => total + others[k] * value, 0);
      const apart = (odds - Math.min(Math.max(other[c], Math.min(odds, -this.most)), Math.max(odds, this.most))) ** 2;
      const rest = missed * (1 + others.reduce((total, value) => total + value, 0)) + (Number.isFinite(apart) ? share * apart : 0);
      const low = expit(odds - this.z * Math.sqrt(sum(down, up) + rest)), high = expit(odds + this.z * Math.sqrt(sum(up, down) + rest));
      const p = Math.exp(answers[c]);
      return [Math.min(low, p), Math.max(high, p)];
    });
  }

  known(evidence, index) {
    return index !== this.target && (this.nodes[index].arity === 1 || evidence[index] >= 0);
  }

  /** Variances of the scores of the classes for few rows: downwards and upwards. */
  counting(evidence) {
    const { nodes, target, scale } = this;
    const found = [0, 1].map(() => Array.from(this.cells[target], (rows) => scale / (rows + 1)));
    for (const node of nodes) {
      if (node.index === target || !node.parents.includes(target) || !this.known(evidence, node.index)) continue;
      const state = node.arity === 1 ? 0 : evidence[node.index];
      const whole = node.parents.every((k) => k === target || this.known(evidence, k));
      for (let c = 0; c < nodes[target].arity; c++) {
        const [rows, share] = whole ? this.ofFamily(node, state, evidence, c) : this.ofClass(node, state, c);
        const s = rows + 1, p = Math.max(share, LEAST_ROWS / s);
        found[0][c] += scale * (trigamma(p * s) - trigamma(s));
        found[1][c] += scale * Math.log1p((1 - p) / (p * (s + 1)));
      }
    }
    return found;
  }

  /** The rows of the parents' states and a class, and the share of the feature's own state among them. */
  ofFamily(node, state, evidence, c) {
    let start = 0;
    for (const k of node.parents) start = start * this.nodes[k].arity + (k === this.target ? c : this.nodes[k].arity === 1 ? 0 : evidence[k]);
    start *= node.arity;
    let rows = 0;
    for (let k = 0; k < node.arity; k++) rows += this.cells[node.index][start + k];
    return [rows, node.table[start + state]];
  }

  /** The same without the parents but the class. */
  ofClass(node, state, c) {
    const own = this.ofStates(node).subarray(c * node.arity, (c + 1) * node.arity);
    const rows = own.reduce((sum, value) => sum + value, 0);
    return [rows, (own[state] + 0.5) / (rows + 0.5 * node.arity)];
  }

  /** The rows of each class and state of a feature; summed over its other parents once. */
  ofStates(node) {
    let sums = this.sums.get(node.index);
    if (sums) return sums;
    const cells = this.cells[node.index], { arity } = this.nodes[this.target];
    const after = node.parents.slice(node.parents.indexOf(this.target) + 1).reduce((size, k) => size * this.nodes[k].arity, node.arity);
    sums = new Float64Array(arity * node.arity);
    for (let place = 0; place < cells.length; place++) sums[(Math.floor(place / after) % arity) * node.arity + (place % node.arity)] += cells[place];
    this.sums.set(node.index, sums);
    return sums;
  }
}

/** An interval in words: "(71–93%)". */
export function sureText([low, high]) {
  return `(${intervalText(low, high, percent)})`;
}

function logShares(scores) {
  const top = Math.max(...scores);
  const sum = Math.log(scores.reduce((total, value) => total + Math.exp(value - top), 0));
  return Array.from(scores, (value) => value - top - sum);
}

/** Log-odds of each class against all others. */
function logOdds(logs) {
  return logs.map((own, c) => {
    const others = logs.filter((_, k) => k !== c), top = Math.max(...others);
    return top === -Infinity ? Infinity : own - top - Math.log(others.reduce((sum, value) => sum + Math.exp(value - top), 0));
  });
}

function expit(x) {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}

/** The second derivative of ln Gamma: upwards by its recurrence, then an asymptotic series. */
function trigamma(x) {
  let sum = 0, at = x;
  for (; at < 12; at += 1) sum += 1 / (at * at);
  const y = 1 / (at * at);
  return sum + 1 / at + y / 2 + (y / at) * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - (y * 5) / 66))));
}
