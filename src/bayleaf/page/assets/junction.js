// Exact inference: a bucket tree over the network, whatever its graph.
//
// Each node has a bucket: the table over itself and the nodes it is joined with when its turn to be eliminated comes.
// A bucket sends the sum over its own node to the bucket of the next of the others. The class is eliminated last,
// so that its bucket holds P(class, evidence). Tables and messages are logarithms: the product of many small factors
// would vanish. On the way back each bucket needs only how its own node is distributed given the others, which is
// never too small where it matters.

import { TwoReadings } from "./readings.js";

export class JunctionTree {
  constructor(model) {
    this.nodes = model.nodes;
    this.target = model.target;
    this.readings = model.readings ? new TwoReadings(model) : null;
    this.order = model.order;
    this.evidence = new Int32Array(model.nodes.length).fill(-1);
    this.buckets = makeBuckets(model);
    // Children of a bucket come before it in the order, so one pass in order collects everything.
  }

  /** Set the state of a node, or -1 for unknown. */
  set(index, state) {
    if (this.evidence[index] === state) return;
    this.evidence[index] = state;
    for (let bucket = this.buckets[index]; bucket && !bucket.stale; bucket = this.buckets[bucket.parent]) {
      bucket.stale = true;
    }
  }

  setAll(evidence) {
    for (let k = 0; k < evidence.length; k++) this.set(k, evidence[k]);
  }

  /** Pass messages towards the roots, where something changed. */
  collect() {
    for (const index of this.order) {
      const bucket = this.buckets[index];
      if (bucket.stale) this.#collectBucket(bucket);
    }
  }

  #collectBucket(bucket) {
    const table = bucket.table;
    table.set(bucket.potential);
    for (const { bucket: child, map } of bucket.inputs) {
      const message = child.message;
      for (let k = 0; k < table.length; k++) table[k] += message[map[k]];
    }
    keepState(table, bucket.arity, this.evidence[bucket.index]);
    const { message, arity } = bucket;
    for (let k = 0; k < message.length; k++) message[k] = shares(table, bucket.given, k * arity, arity);
    bucket.stale = false;
  }

  /** ln P(evidence). */
  logEvidence() {
    this.collect();
    let total = 0;
    for (const index of this.order) {
      if (this.buckets[index].parent < 0) total += this.buckets[index].message[0];
    }
    return total;
  }

  /** ln P(state, evidence) for each state of a root node such as the class. */
  logJoint(index) {
    const total = this.logEvidence();
    const root = this.buckets[index];
    if (root.parent >= 0) throw new Error("Only the node that is eliminated last has its joint ready.");
    const others = total === -Infinity ? 0 : total - root.message[0]; // of parts of the graph without this node
    return Array.from(root.table, (value) => (total === -Infinity ? -Infinity : value + others));
  }

  /** Scores of the states of the node that is asked for, up to a constant: of a class of two readings by both. */
  scores(index) {
    return this.readings ? this.readings.scores(this.evidence, (read) => this.logJointOf(read, index)) : this.logJoint(index);
  }

  /** The same as `logJoint` for other evidence; what is set stays set. */
  logJointOf(evidence, index) {
    const own = Int32Array.from(this.evidence);
    this.setAll(evidence);
    const joint = this.logJoint(index);
    this.setAll(own);
    return joint;
  }

  /** The probabilities that the model answers with; null where the evidence is impossible. */
  answer(index) {
    return this.#nothingKnown(index) ? Array.from(this.nodes[index].table) : normalised(this.scores(index));
  }

  /** Whether the table of the node alone answers. */
  #nothingKnown(index) {
    if (this.readings) return this.readings.nothingKnown(this.evidence);
    return !this.nodes[index].parents.length && this.evidence.every((state) => state < 0);
  }

  /** The states of all nodes that are most probable together with the evidence, and ln of their joint probability. */
  mostProbable() {
    const best = new Map();
    let logarithm = 0;
    for (const index of this.order) {
      const bucket = this.buckets[index], { arity } = bucket;
      const table = Float64Array.from(bucket.potential);
      for (const { bucket: child, map } of bucket.inputs) {
        const { message } = best.get(child.index);
        for (let k = 0; k < table.length; k++) table[k] += message[map[k]];
      }
      keepState(table, arity, this.evidence[index]);
      const message = new Float64Array(table.length / arity), choice = new Int32Array(message.length);
      for (let k = 0; k < message.length; k++) {
        for (let state = 1; state < arity; state++) if (table[k * arity + state] > table[k * arity + choice[k]]) choice[k] = state;
        message[k] = table[k * arity + choice[k]];
      }
      best.set(index, { message, choice });
      if (bucket.parent < 0) logarithm += message[0];
    }
    const states = new Int32Array(this.nodes.length);
    for (let k = this.order.length - 1; k >= 0; k--) {
      const bucket = this.buckets[this.order[k]];
      const at = bucket.separator.reduce((place, index) => place * this.nodes[index].arity + states[index], 0);
      states[bucket.index] = best.get(bucket.index).choice[at];
    }
    return { states, logarithm };
  }

  /** Distribution of every node given the evidence, of the class as the model answers; null where the evidence is impossible. */
  marginals() {
    if (this.logEvidence() === -Infinity) return null;
    const result = new Array(this.nodes.length);
    for (let k = this.order.length - 1; k >= 0; k--) {
      const bucket = this.buckets[this.order[k]];
      bucket.belief.set(bucket.given);
      if (bucket.parent >= 0) multiplyDown(this.buckets[bucket.parent], bucket);
      result[bucket.index] = marginal(bucket.belief, bucket.arity);
    }
    if (this.target !== null && this.evidence[this.target] < 0) result[this.target] = this.answer(this.target);
    return result;
  }
}

/** Turn logarithms, from one place on, into shares of their sum; return the logarithm of the sum. */
function shares(logarithms, into, start, count) {
  let top = -Infinity;
  for (let k = start; k < start + count; k++) if (logarithms[k] > top) top = logarithms[k];
  if (top === -Infinity) {
    into.fill(0, start, start + count);
    return top;
  }
  let sum = 0;
  for (let k = start; k < start + count; k++) sum += into[k] = Math.exp(logarithms[k] - top);
  for (let k = start; k < start + count; k++) {
    // What is possible never becomes impossible, however small it is.
    into[k] = logarithms[k] === -Infinity ? 0 : Math.max(into[k] / sum, Number.MIN_VALUE);
  }
  return top + Math.log(sum);
}

/** Join what the parent believes about the separator to what the bucket believes given the separator. */
function multiplyDown(parent, { belief, down, mapInParent, arity }) {
  down.fill(0);
  for (let k = 0; k < mapInParent.length; k++) down[mapInParent[k]] += parent.belief[k];
  for (let k = 0, to = 0; k < down.length; k++) {
    for (let state = 0; state < arity; state++) belief[to++] *= down[k];
  }
}

/** Probabilities from their logarithms, up to a factor; null where all are impossible. */
export function normalised(logarithms) {
  const result = new Float64Array(logarithms.length);
  return shares(logarithms, result, 0, result.length) === -Infinity ? null : Array.from(result);
}

/** The logarithm of the sum of numbers, from their logarithms. */
export function logSum(logarithms) {
  const top = Math.max(...logarithms);
  return top === -Infinity ? top : top + Math.log(logarithms.reduce((sum, value) => sum + Math.exp(value - top), 0));
}

function marginal(belief, arity) {
  const sums = new Float64Array(arity);
  for (let k = 0; k < belief.length; k++) sums[k % arity] += belief[k];
  const total = sums.reduce((a, b) => a + b, 0);
  return sums.map((value) => value / total);
}

function keepState(table, arity, state) {
  if (state < 0) return;
  for (let k = 0; k < table.length; k++) if (k % arity !== state) table[k] = -Infinity;
}

function makeBuckets(model) {
  const rank = new Int32Array(model.nodes.length);
  model.order.forEach((index, position) => (rank[index] = position));
  const scopes = eliminationScopes(model, rank);
  const buckets = model.nodes.map((node) => newBucket(model, node.index, scopes[node.index], rank));
  for (const node of model.nodes) {
    const first = node.family.reduce((a, b) => (rank[a] < rank[b] ? a : b));
    multiplyFamily(model, buckets[first], node);
  }
  for (const index of model.order) connect(model, buckets, index);
  return buckets;
}

/** The nodes that each node is joined with when it is eliminated. */
function eliminationScopes(model, rank) {
  const joined = model.nodes.map(() => new Set());
  for (const node of model.nodes) {
    for (const a of node.family) for (const b of node.family) if (a !== b) joined[a].add(b);
  }
  return model.order.reduce((scopes, index) => {
    const later = [...joined[index]].filter((k) => rank[k] > rank[index]);
    for (const a of later) for (const b of later) if (a !== b) joined[a].add(b);
    scopes[index] = later.sort((a, b) => rank[a] - rank[b]);
    return scopes;
  }, []);
}

function newBucket(model, index, separator, rank) {
  const scope = [...separator, index]; // the node itself varies fastest
  const size = scope.reduce((product, k) => product * model.nodes[k].arity, 1);
  const arity = model.nodes[index].arity;
  return {
    index, scope, separator, arity,
    parent: separator.length ? separator.reduce((a, b) => (rank[a] < rank[b] ? a : b)) : -1,
    potential: new Float64Array(size), // logarithms, as are table and message
    table: new Float64Array(size),
    given: new Float64Array(size), // the node given its separator and the evidence, up to here
    belief: new Float64Array(size),
    message: new Float64Array(size / arity),
    down: new Float64Array(size / arity),
    inputs: [], mapInParent: null, stale: true,
  };
}

/** For each entry of a table over `scope`, its place in a table over `part` of the same nodes. */
function projection(model, scope, part) {
  const stride = new Map();
  let step = 1;
  for (let k = part.length - 1; k >= 0; k--) {
    stride.set(part[k], step);
    step *= model.nodes[part[k]].arity;
  }
  let map = new Int32Array(1);
  for (const index of scope) {
    const arity = model.nodes[index].arity;
    const move = stride.get(index) ?? 0;
    const longer = new Int32Array(map.length * arity);
    for (let k = 0, to = 0; k < map.length; k++) {
      for (let state = 0; state < arity; state++) longer[to++] = map[k] + state * move;
    }
    map = longer;
  }
  return map;
}

function multiplyFamily(model, bucket, node) {
  const map = projection(model, bucket.scope, node.family);
  const logarithms = node.table.map(Math.log);
  for (let k = 0; k < map.length; k++) bucket.potential[k] += logarithms[map[k]];
}

function connect(model, buckets, index) {
  const bucket = buckets[index];
  if (bucket.parent < 0) return;
  const parent = buckets[bucket.parent];
  bucket.mapInParent = projection(model, parent.scope, bucket.separator);
  parent.inputs.push({ bucket, map: bucket.mapInParent });
}
