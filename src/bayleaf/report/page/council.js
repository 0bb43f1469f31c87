// Several networks that decide together: each is asked, and their answers are averaged or counted as votes.

import { JunctionTree, normalised } from "./junction.js";
import { cheapest, mostProbable } from "./model.js";

/** Answers like a JunctionTree, for all members of an ensemble together. */
export class Council {
  constructor(model) {
    this.model = model;
    this.trees = model.members.map((member) => new JunctionTree(member));
    this.evidence = new Int32Array(model.nodes.length).fill(-1);
  }

  set(index, state) {
    this.evidence[index] = state;
    for (const tree of this.trees) tree.set(index, state);
  }

  setAll(evidence) {
    for (let k = 0; k < evidence.length; k++) this.set(k, evidence[k]);
  }

  /** ln of the class probabilities that the members give together; there is no joint distribution behind them. */
  logJoint(index) {
    const { arity } = this.model.nodes[index];
    const opinions = this.trees.map((tree, k) => normalised(tree.logJoint(index)) ?? this.model.ensemble.priors[k]);
    return Array.from(this.#together(opinions, arity), Math.log);
  }

  /** Distribution of every node: of the class as the ensemble has it, of features the mean over the networks. */
  marginals() {
    const { nodes, target, ensemble } = this.model;
    const all = this.trees.map((tree) => tree.marginals());
    if (all.every((each) => each === null)) return null;
    return nodes.map((node) => {
      if (node.index === target && this.evidence[target] < 0) {
        return this.#together(all.map((each, k) => each?.[target] ?? ensemble.priors[k]), node.arity);
      }
      const knowing = all.filter((each, k) => each !== null && !this.model.members[k].nodes[node.index].absent);
      return mean((knowing.length ? knowing : all.filter(Boolean)).map((each) => each[node.index]), node.arity);
    });
  }

  /** Shares of votes, or the mean of the members' probabilities. */
  #together(opinions, arity) {
    const { vote, costs, priors } = this.model.ensemble;
    if (vote === "average") return mean(opinions, arity);
    const shares = new Float64Array(arity);
    opinions.forEach((p, k) => (shares[costs ? cheapest(p, costs, priors[k]) : mostProbable(p, priors[k])] += 1));
    return shares.map((votes) => votes / opinions.length);
  }
}

function mean(distributions, arity) {
  const sums = new Float64Array(arity);
  for (const p of distributions) for (let k = 0; k < arity; k++) sums[k] += p[k];
  return sums.map((sum) => sum / distributions.length);
}
