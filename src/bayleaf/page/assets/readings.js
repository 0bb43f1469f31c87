// Two readings of one graph, for the question "which class": the evidence of the values that are known, added up, and the
// network with what is unknown summed out. How much each counts follows from how much is unknown:
//
//   ln P(class | case) = a E + b ln P(class, case) + (1 - a - b) ln P(class) + const.
//
// On complete cases a = 1 and b = 0; where nothing is known both are 0, and the class frequencies remain.

export class TwoReadings {
  constructor(model) {
    const { nodes, target, readings } = model;
    Object.assign(this, readings, { nodes, target });
    this.logPrior = Array.from(nodes[target].table, Math.log); // of the network
    this.telling = nodes.filter((node) => node.index !== target && node.arity > 1 && !node.absent);
  }

  /** How many features have no value: they are not set, or set to the state of missing values. */
  gaps(evidence) {
    return this.telling.filter(({ index, gap }) => evidence[index] < 0 || evidence[index] === gap).length;
  }

  /** Whether no feature has a value. */
  nothingKnown(evidence) {
    return this.telling.length > 0 && this.gaps(evidence) >= this.telling.length;
  }

  /** What the evidence and the network count: [a, b]. */
  weights(evidence) {
    const gaps = this.gaps(evidence), features = this.telling.length;
    const beyond = (gaps - this.usual) / Math.max(features - this.usual, 1e-9);
    const share = gaps >= features ? 1 : Math.max(0, Math.min(1, beyond));
    return this.counts.map((of) => interpolated(share, this.knots, of));
  }

  /** The evidence as it is read: where caution counts, no gap tells anything by itself. */
  asRead(evidence) {
    const [a, b] = this.weights(evidence);
    return a === 1 && b === 0 ? evidence : evidence.map((state, k) => (state === this.nodes[k].gap ? -1 : state));
  }

  /** What the value of a feature adds to the scores of the classes; null where its table does not have the class. */
  entries(index, evidence) {
    const table = this.tables[index];
    if (!table) return null;
    const classes = this.nodes[this.target].arity;
    let at = 0;
    for (const k of this.nodes[index].family) {
      if (k === this.target) continue;
      const { arity } = this.nodes[k];
      const unset = arity > 1 ? arity : 0; // a feature of one state has it
      at = at * (arity + 1) + (evidence[k] < 0 ? unset : evidence[k]);
    }
    return table.subarray(at * classes, (at + 1) * classes);
  }

  /** The scores of the classes up to a constant; `network` gives its ln P(class, evidence), where it counts. */
  scores(evidence, network) {
    const [a, b] = this.weights(evidence), read = this.asRead(evidence);
    const scores = Array.from(this.tables[this.target]);
    for (const { index } of this.nodes) {
      const entries = index === this.target ? null : this.entries(index, read);
      if (entries) for (let c = 0; c < scores.length; c++) scores[c] += entries[c];
    }
    if (a === 1 && b === 0) return scores;
    const joint = b > 0 ? network(read) : null;
    return scores.map((score, c) => times(a, score) + times(1 - a - b, this.logPrior[c]) + (joint ? b * joint[c] : 0));
  }
}

/** A product in which nothing counts as nothing, also where it is infinite. */
function times(weight, value) {
  return weight === 0 ? 0 : weight * value;
}

/** The value at a place on the line through some points. */
function interpolated(x, knots, values) {
  const k = Math.max(1, knots.findIndex((knot) => x <= knot));
  const slope = (values[k] - values[k - 1]) / (knots[k] - knots[k - 1]);
  return x === knots[k] ? values[k] : values[k - 1] + slope * (x - knots[k - 1]);
}

/** The nodes with the tables that decide complete cases, where these are not the network's. */
export function decidingNodes({ nodes, target, readings }) {
  if (!readings) return nodes;
  return nodes.map((node) => (readings.tables[node.index] ? { ...node, table: completeTable(nodes, target, node, readings.tables[node.index]) } : node));
}

/** P(state | parents) in the order of the family, from the evidence of the states without the missing value. */
function completeTable(nodes, target, node, scores) {
  const classes = nodes[target].arity;
  const table = new Float64Array(node.family.reduce((product, k) => product * nodes[k].arity, 1));
  for (let place = 0; place < table.length; place++) {
    let rest = place, state = 0, step = classes, own = 0;
    for (let axis = node.family.length - 1; axis >= 0; axis--) {
      const k = node.family[axis], { arity } = nodes[k];
      if (k === target) own = rest % arity;
      else {
        state += (rest % arity) * step;
        step *= arity + 1;
      }
      rest = Math.floor(rest / arity);
    }
    table[place] = Math.exp(scores[state + own]);
  }
  return table;
}
