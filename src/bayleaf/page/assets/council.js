// Several networks that decide together: each is asked, and their answers are averaged or counted as votes.

import { JunctionTree, logSum, normalised } from "./junction.js";
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

  /** ln of the class probabilities that the members give together; of a mixture, ln P(class, evidence). */
  logJoint(index) {
    const { nodes, ensemble } = this.model;
    const { arity } = nodes[index];
    if (ensemble.vote === "joint") {
      const shares = this.#shares();
      const joints = this.trees.map((tree) => tree.logJoint(index));
      return Array.from({ length: arity }, (_, state) => logSum(joints.map((joint, k) => (shares[k] > 0 ? joint[state] + Math.log(ensemble.weights[k]) : -Infinity))));
    }
    if (this.#nothingKnown()) return Array.from(ensemble.prior, Math.log);
    const opinions = this.trees.map((tree, k) => tree.answer(index) ?? ensemble.priors[k]);
    return Array.from(this.#together(opinions, arity), Math.log);
  }

  /** The same: what a network alone has besides its joint distribution. */
  scores(index) {
    return this.logJoint(index);
  }

  /** The class probabilities; null where the evidence is impossible. */
  answer(index) {
    return this.#nothingKnown() ? Array.from(this.model.ensemble.prior) : normalised(this.logJoint(index));
  }

  /** Whether averaged class probabilities are those of a case of which no value is known: the class frequencies. */
  #nothingKnown() {
    const { nodes, target, ensemble, members } = this.model;
    if (ensemble.vote !== "average") return false;
    const used = nodes.filter(({ index, arity }) => index !== target && arity > 1 && !members.every((each) => each.nodes[index].absent));
    return used.length > 0 && used.every(({ index, gap }) => this.evidence[index] < 0 || this.evidence[index] === gap);
  }

  /** The mean of the class probabilities of the networks, by their weights, however they decide together. */
  meanPosterior(index) {
    const { ensemble, nodes } = this.model;
    return mean(this.trees.map((tree, k) => tree.answer(index) ?? ensemble.priors[k]), nodes[index].arity, ensemble.weights);
  }

  /** Distribution of every node: of the class as the ensemble has it, of features the mean over the networks. */
  marginals() {
    const { nodes, target, ensemble } = this.model;
    const all = this.trees.map((tree) => tree.marginals());
    if (all.every((each) => each === null)) return null;
    if (ensemble.vote === "joint") {
      const shares = this.#shares();
      return nodes.map((node) => mean(all.map((each) => each?.[node.index]), node.arity, shares));
    }
    return nodes.map((node) => {
      if (node.index === target && this.evidence[target] < 0) {
        if (this.#nothingKnown()) return Array.from(ensemble.prior);
        return this.#together(all.map((each, k) => each?.[target] ?? ensemble.priors[k]), node.arity);
      }
      const knowing = all.filter((each, k) => each !== null && !this.model.members[k].nodes[node.index].absent);
      return mean((knowing.length ? knowing : all.filter(Boolean)).map((each) => each[node.index]), node.arity);
    });
  }

  /** Of a mixture: how much each network has to say about the evidence. Those of the lowest level that calls it possible speak. */
  #shares() {
    const { weights, levels } = this.model.ensemble;
    const logs = this.trees.map((tree, k) => tree.logEvidence() + Math.log(weights[k]));
    const level = Math.min(...levels.filter((_, k) => logs[k] > -Infinity));
    return normalised(logs.map((value, k) => (levels[k] === level ? value : -Infinity))) ?? weights;
  }

  /** Shares of votes, or the mean of the members' probabilities. */
  #together(opinions, arity) {
    const { vote, costs, priors, weights } = this.model.ensemble;
    if (vote === "average") return mean(opinions, arity, weights);
    const shares = new Float64Array(arity);
    opinions.forEach((p, k) => (shares[costs ? cheapest(p, costs, priors[k]) : mostProbable(p, priors[k])] += 1));
    return shares.map((votes) => votes / opinions.length);
  }
}

/** The mean of distributions, by weights that sum to one where there are any; those of weight zero may be absent. */
function mean(distributions, arity, weights = null) {
  const sums = new Float64Array(arity);
  distributions.forEach((p, k) => {
    const weight = weights ? weights[k] : 1 / distributions.length;
    if (weight > 0 && p) for (let state = 0; state < arity; state++) sums[state] += weight * p[state];
  });
  return sums;
}
