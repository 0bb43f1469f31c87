// Exact inference: a bucket tree over the network, whatever its graph.
//
// Each node has a bucket: the table over itself and the nodes it is joined with when its turn to be eliminated comes.
// A bucket sends the sum over its own node to the bucket of the next of the others. The class is eliminated last,
// so that its bucket holds P(class, evidence). Messages are scaled to a maximum of one and the scales kept as
// logarithms, so that many small factors do not vanish.

export class JunctionTree {
  constructor(model) {
    this.nodes = model.nodes;
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
    bucket.logScale = 0;
    for (const { bucket: child, map } of bucket.inputs) {
      const message = child.message;
      for (let k = 0; k < table.length; k++) table[k] *= message[map[k]];
      bucket.logScale += child.logScale;
    }
    keepState(table, bucket.arity, this.evidence[bucket.index]);
    const { message, arity } = bucket;
    let largest = 0;
    for (let k = 0, from = 0; k < message.length; k++) {
      let sum = 0;
      for (let state = 0; state < arity; state++) sum += table[from++];
      message[k] = sum;
      if (sum > largest) largest = sum;
    }
    if (largest > 0) {
      for (let k = 0; k < message.length; k++) message[k] /= largest;
      bucket.logScale += Math.log(largest);
    } else {
      bucket.logScale = -Infinity;
    }
    bucket.stale = false;
  }

  /** ln P(evidence). */
  logEvidence() {
    this.collect();
    let total = 0;
    for (const index of this.order) {
      if (this.buckets[index].parent < 0) total += this.buckets[index].logScale;
    }
    return total;
  }

  /** ln P(state, evidence) for each state of a root node such as the class. */
  logJoint(index) {
    const total = this.logEvidence();
    const root = this.buckets[index];
    if (root.parent >= 0) throw new Error("Only the node that is eliminated last has its joint ready.");
    const sum = root.table.reduce((a, b) => a + b, 0);
    return Array.from(root.table, (value) => Math.log(value / sum) + total);
  }

  /** Distribution of every node given the evidence, or null where the evidence is impossible. */
  marginals() {
    if (this.logEvidence() === -Infinity) return null;
    const result = new Array(this.nodes.length);
    for (let k = this.order.length - 1; k >= 0; k--) {
      const bucket = this.buckets[this.order[k]];
      const belief = bucket.belief;
      belief.set(bucket.table);
      if (bucket.parent >= 0) multiplyDown(this.buckets[bucket.parent], bucket, belief);
      result[bucket.index] = marginal(belief, bucket.arity);
    }
    return result;
  }
}

/** What the parent believes about the separator, without what the bucket itself told it. */
function multiplyDown(parent, bucket, belief) {
  const { message, arity } = bucket;
  const down = bucket.down.fill(0);
  const map = bucket.mapInParent;
  for (let k = 0; k < map.length; k++) down[map[k]] += parent.belief[k];
  let largest = 0;
  for (let k = 0; k < down.length; k++) {
    down[k] = message[k] > 0 ? down[k] / message[k] : 0;
    if (down[k] > largest) largest = down[k];
  }
  for (let k = 0, to = 0; k < down.length; k++) {
    const factor = down[k] / largest;
    for (let state = 0; state < arity; state++) belief[to++] *= factor;
  }
}

function marginal(belief, arity) {
  const sums = new Float64Array(arity);
  for (let k = 0; k < belief.length; k++) sums[k % arity] += belief[k];
  const total = sums.reduce((a, b) => a + b, 0);
  return sums.map((value) => value / total);
}

function keepState(table, arity, state) {
  if (state < 0) return;
  for (let k = 0; k < table.length; k++) if (k % arity !== state) table[k] = 0;
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
    potential: new Float64Array(size).fill(1),
    table: new Float64Array(size),
    belief: new Float64Array(size),
    message: new Float64Array(size / arity),
    down: new Float64Array(size / arity),
    inputs: [], mapInParent: null, logScale: 0, stale: true,
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
  for (let k = 0; k < map.length; k++) bucket.potential[k] *= node.table[map[k]];
}

function connect(model, buckets, index) {
  const bucket = buckets[index];
  if (bucket.parent < 0) return;
  const parent = buckets[bucket.parent];
  bucket.mapInParent = projection(model, parent.scope, bucket.separator);
  parent.inputs.push({ bucket, map: bucket.mapInParent });
}
