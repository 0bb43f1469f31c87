// Why: the weight of each piece of evidence, the values that suffice, and the changes that would matter most.
// The long computations are generators: whoever runs them may stop between steps to keep the page alive.

import { normalised } from "./junction.js";
import { decidingNodes } from "./readings.js";

const LOG_ZERO = -1e6;
const TIE = 1e-9;
const UNCHANGED = 1e-9;

/** Evidence for class `chosen` against class `other`, in log-odds: of every value that is set. The terms add up to the log-odds. */
export function weighEvidence(model, tree, evidence, chosen, other) {
  return tree.readings ? weighTwoReadings(model, tree, evidence, chosen, other) : weighNetwork(model, tree, evidence, chosen, other);
}

/** What each reading says of a value, as much as it counts. */
function weighTwoReadings(model, tree, evidence, chosen, other) {
  const { readings } = tree;
  const odds = (scores) => scores[chosen] - scores[other];
  const scores = classScores(model, tree, evidence);
  const [ofEvidence, ofNetwork] = readings.weights(evidence), read = readings.asRead(evidence);
  const joint = ofNetwork > 0 ? weighNetwork(model, tree, read, chosen, other).terms : [];
  const network = new Map(joint.map(({ index, weight }) => [index, ofNetwork * weight]));
  const terms = [];
  for (const index of model.topological) {
    if (index === model.target || evidence[index] < 0) continue;
    const entries = ofEvidence > 0 ? readings.entries(index, read) : null;
    terms.push({ index, state: evidence[index], weight: (entries ? ofEvidence * odds(entries) : 0) + (network.get(index) ?? 0) });
  }
  const prior = (ofEvidence > 0 ? ofEvidence * odds(readings.tables[model.target]) : 0) + (1 - ofEvidence) * odds(readings.logPrior);
  return { prior, terms, total: odds(scores) };
}

/**
 * Features are taken in topological order and each contributes what it changes, the features not yet taken being summed
 * out. After a value that makes one of the two classes impossible no other has a weight, nor has any value of a row that
 * fits no class.
 */
function weighNetwork(model, tree, evidence, chosen, other) {
  const odds = () => {
    const joint = tree.logJoint(model.target);
    return joint[chosen] - joint[other];
  };
  ask(model, tree, evidence);
  const fits = tree.logJoint(model.target).some((value) => value > -Infinity);
  tree.setAll(new Int32Array(evidence.length).fill(-1));
  const prior = odds();
  let before = prior;
  const terms = [];
  for (const index of model.topological) {
    if (index === model.target || evidence[index] < 0) continue;
    tree.set(index, evidence[index]);
    const after = fits ? odds() : before;
    terms.push({ index, state: evidence[index], weight: Number.isFinite(before) ? after - before : 0 });
    before = after;
  }
  return { prior, terms, total: before };
}

/** The mean over several networks of what each weighs; the terms add up to the mean of their log-odds. */
export function meanEvidence(model, trees, evidence, chosen, other) {
  const weighed = model.members.map((member, k) => weighEvidence(member, trees[k], evidence, chosen, other));
  const mean = (value) => weighed.reduce((sum, each) => sum + value(each), 0) / weighed.length;
  const weights = weighed.map(({ terms }) => new Map(terms.map((term) => [term.index, term.weight])));
  const terms = weighed[0].terms.map(({ index, state }) => ({ index, state, weight: weights.reduce((sum, each) => sum + each.get(index), 0) / weights.length }));
  return { prior: mean((each) => each.prior), terms, total: mean((each) => each.total) };
}

/** Class probabilities for some evidence (the class itself unset), or null where it is impossible. */
export function classPosterior(model, tree, evidence) {
  ask(model, tree, evidence);
  return tree.answer(model.target);
}

function classScores(model, tree, evidence) {
  ask(model, tree, evidence);
  return tree.scores(model.target);
}

function ask(model, tree, evidence) {
  tree.setAll(evidence);
  tree.set(model.target, -1);
}

/** Log-odds of a class against all others, exact where probabilities are too small to write down. */
function logOdds(scores, decision) {
  const others = scores.filter((_, k) => k !== decision);
  const top = Math.max(...others);
  if (top === -Infinity) return Infinity;
  return scores[decision] - top - Math.log(others.reduce((sum, value) => sum + Math.exp(value - top), 0));
}

/** Try every single change of one value (or one more value) and list them, strongest effect first. */
export function* singleChanges(store, evidence, decision) {
  const { model } = store;
  const tree = store.spareTree();
  const posterior = classPosterior(model, tree, evidence);
  if (!posterior) return [];
  // Of several networks the mean counts: votes may all stay the same.
  const mean = (own) => (model.members ? tree.meanPosterior(model.target) : own);
  const now = mean(posterior)[decision];
  const changed = Int32Array.from(evidence);
  const changes = [];
  for (const node of model.nodes) {
    if (node.index === model.target) continue;
    for (let state = 0; state < node.arity; state++) {
      if (state === evidence[node.index]) continue;
      changed[node.index] = state;
      const scores = classScores(model, tree, changed);
      const after = normalised(scores);
      if (after) {
        const best = store.decide(after), left = mean(after)[decision];
        if (model.members && best === decision && Math.abs(left - now) < UNCHANGED) continue;
        changes.push({ index: node.index, from: evidence[node.index], state, decision: best,
          p: after[best], left, logOdds: logOdds(scores, decision), flips: best !== decision });
      }
    }
    changed[node.index] = evidence[node.index];
    yield;
  }
  const order = (change) => (model.members ? change.left : change.logOdds);
  return changes.sort((a, b) => (order(a) > order(b)) - (order(a) < order(b)));
}

/**
 * Values that alone guarantee the decision: let go of one after the other, cheapest first, as long as the worst case
 * over everything that is free keeps the decision. Returns { guaranteed, kept: [indices] }.
 */
export function* sufficientSet(model, evidence, decision, prior) {
  const equal = equalCost(model.costs, decision);
  const worst = new WorstCase(model, decision);
  const floor = worst.others.map((k) =>
    equal + ((k < decision ? prior[decision] > prior[k] : prior[decision] >= prior[k]) ? -TIE : TIE));
  const holds = (margins) => margins.every((margin, k) => margin >= floor[k]);
  let kept = new Map(worst.features.filter((k) => evidence[k] >= 0).map((k) => [k, evidence[k]]));
  if (!holds(worst.margins(kept))) return { guaranteed: false, kept: [...kept.keys()] };
  const left = new Map();
  for (const index of kept.keys()) {
    left.set(index, Math.round(1e9 * Math.min(...worst.margins(without(kept, index)))));
    yield;
  }
  const cheapestFirst = [...kept.keys()].sort((a, b) => left.get(b) - left.get(a) || a - b);
  for (const index of cheapestFirst) {
    const fewer = without(kept, index);
    if (holds(worst.margins(fewer))) kept = fewer;
    yield;
  }
  return { guaranteed: true, kept: [...kept.keys()] };
}

/** Whether values that guarantee a decision can be found: for costs, only with two classes and none worse for being right. */
export function canGuarantee({ costs }) {
  return !costs || costs.length === 1 || (costs.length === 2 && !(costs[0][1] < costs[0][0] && costs[1][0] < costs[1][1]));
}

/** Log-odds of a decision against the only other class at which both decisions cost the same; zero without costs. */
function equalCost(costs, decision) {
  if (!costs || costs.length === 1) return 0;
  const other = 1 - decision;
  const saved = costs[decision][other] - costs[decision][decision]; // by this decision where it is right
  const lost = costs[other][decision] - costs[other][other]; // by this decision where it is wrong
  if (lost <= 0) return saved >= 0 && lost === 0 ? LOG_ZERO / 2 : -Infinity; // the class itself may be impossible
  return saved > 0 ? Math.log(lost / saved) : Infinity;
}

function without(map, key) {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}

/** Smallest log-odds of a class against each other class over all values of the features left free (a min-sum). */
class WorstCase {
  constructor(model, decision) {
    this.model = { ...model, nodes: decidingNodes(model) };
    const classes = model.nodes[model.target].arity;
    this.others = [...Array(classes).keys()].filter((k) => k !== decision);
    this.terms = this.model.nodes
      .filter((node) => node.family.includes(model.target))
      .map((node) => this.#familyTerm(node, decision));
    const members = new Set(this.terms.flatMap((term) => term.scope));
    this.features = [...members].sort((a, b) => a - b);
    this.order = model.order.filter((index) => members.has(index));
  }

  /** Log-odds of one family by the states of its features; the other classes vary fastest. */
  #familyTerm(node, decision) {
    const { target, nodes } = this.model;
    const scope = node.family.filter((index) => index !== target);
    const size = scope.reduce((product, k) => product * nodes[k].arity, 1);
    const log = (p) => Math.max(Math.log(p), LOG_ZERO);
    const inner = node.family.slice(node.family.indexOf(target) + 1).reduce((p, k) => p * nodes[k].arity, 1);
    const classes = nodes[target].arity;
    const table = new Float64Array(size * this.others.length);
    for (let k = 0; k < size; k++) {
      const at = (c) => log(node.table[Math.floor(k / inner) * inner * classes + c * inner + (k % inner)]);
      this.others.forEach((c, j) => (table[k * this.others.length + j] = at(decision) - at(c)));
    }
    return { scope, table };
  }

  margins(kept) {
    let terms = this.terms.map((term) => this.#restrict(term, kept));
    for (const index of this.order) {
      if (kept.has(index)) continue;
      const touched = terms.filter((term) => term.scope.includes(index));
      terms = terms.filter((term) => !term.scope.includes(index));
      terms.push(this.#minimise(touched, index));
    }
    return this.others.map((_, j) => terms.reduce((sum, term) => sum + term.table[j], 0));
  }

  #restrict(term, kept) {
    const width = this.others.length;
    let { scope, table } = term;
    for (const index of term.scope) {
      if (!kept.has(index)) continue;
      const axis = scope.indexOf(index);
      const inner = scope.slice(axis + 1).reduce((p, k) => p * this.model.nodes[k].arity, width);
      const arity = this.model.nodes[index].arity;
      const smaller = new Float64Array(table.length / arity);
      for (let outer = 0; outer * inner < smaller.length; outer++) {
        const from = (outer * arity + kept.get(index)) * inner;
        smaller.set(table.subarray(from, from + inner), outer * inner);
      }
      scope = scope.filter((k) => k !== index);
      table = smaller;
    }
    return { scope, table };
  }

  /** Add terms up and take the smallest sum over the states of one feature. */
  #minimise(terms, index) {
    const { nodes } = this.model;
    const width = this.others.length;
    const scope = [...new Set(terms.flatMap((term) => term.scope))].filter((k) => k !== index);
    const size = scope.reduce((product, k) => product * nodes[k].arity, 1);
    const table = new Float64Array(size * width).fill(Infinity);
    const strides = terms.map((term) => {
      const steps = new Map();
      let step = width;
      for (let k = term.scope.length - 1; k >= 0; k--) {
        steps.set(term.scope[k], step);
        step *= nodes[term.scope[k]].arity;
      }
      return steps;
    });
    const own = strides.map((steps) => steps.get(index));
    const offsets = new Array(terms.length);
    for (let k = 0; k < size; k++) {
      offsets.fill(0);
      for (let axis = scope.length - 1, rest = k; axis >= 0; axis--) {
        const arity = nodes[scope[axis]].arity;
        const state = rest % arity;
        rest = (rest - state) / arity;
        for (let t = 0; t < terms.length; t++) offsets[t] += state * (strides[t].get(scope[axis]) ?? 0);
      }
      for (let state = 0; state < nodes[index].arity; state++) {
        for (let j = 0; j < width; j++) {
          let sum = 0;
          for (let t = 0; t < terms.length; t++) sum += terms[t].table[offsets[t] + state * own[t] + j];
          if (sum < table[k * width + j]) table[k * width + j] = sum;
        }
      }
    }
    return { scope, table };
  }
}
