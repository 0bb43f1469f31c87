// How the page decides: as the model does, or for one class from a probability on, wherever a decision is shown.

import { argmax, clip, percent } from "./dom.js";

export const STEPS = 200; // of a threshold between 0 and 1

export class Rule {
  constructor() {
    this.chosen = null; // { state, of, step }: this state of the class, of the assessed classes number `of`, from step / STEPS on
    this.listeners = [];
  }

  /** Call back after every change. */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  set(chosen) {
    this.chosen = chosen;
    for (const listener of this.listeners) listener();
  }

  /** The class that is decided for: the chosen one where it is probable enough, else the most probable of the others. */
  decide(p, state = this.chosen.state) {
    const { step } = this.chosen;
    return p[state] >= step / STEPS ? state : argmax(Array.from(p, (each, k) => (k === state ? -1 : each)));
  }

  /** Costs that lead to the same decisions between two classes; [true class, decision]. */
  costs() {
    const { state, step } = this.chosen, miss = 1 - step / STEPS, alarm = step / STEPS;
    return state === 0 ? [[0, miss], [alarm, 0]] : [[0, alarm], [miss, 0]];
  }

  /** The rule in words: "ill from 20% on". */
  text(labels) {
    return `${clip(labels[this.chosen.state], 30)} from ${percent(this.chosen.step / STEPS)} on`;
  }
}

/** What is predicted for a row of the page, by the rule if there is one; the page may not have its probabilities. */
export function predictedOf({ rule, examples }, row) {
  return rule.chosen && examples.p ? rule.decide(examples.p[row], rule.chosen.of) : examples.predicted[row];
}

export function rightOf(model, row) {
  const { rule, examples } = model;
  return rule.chosen && examples.p ? predictedOf(model, row) === examples.classes[row] : Boolean(examples.right[row]);
}

/** The rule for one of the assessed classes; null for one that the model does not know. */
export function ruleFor({ nodes, target, quality }, of, step) {
  const node = nodes[target], state = quality?.classes[of] === undefined ? -1 : (node.values ?? node.states).indexOf(quality.classes[of]);
  return state < 0 ? null : { state, of, step };
}

/**
 * Rows by true class and decision, as the page decides now: from the counts of thresholds for two classes, else from the
 * rows of the page; null where it does not have all of them.
 */
export function confusionNow({ rule, quality, examples }) {
  if (!rule.chosen) return quality.confusion;
  const { of, step } = rule.chosen, found = quality.thresholds?.find((each) => each.class === of);
  const classes = quality.classes.length;
  if (classes === 2 && found) {
    const [hits, all, alarms, others] = [found.hits[step], found.hits[0], found.alarms[step], found.alarms[0]];
    return of === 0 ? [[hits, all - hits], [alarms, others - alarms]] : [[others - alarms, alarms], [all - hits, hits]];
  }
  if (!examples?.p || examples.rows.length !== examples.total) return null;
  const counts = quality.classes.map(() => new Array(classes).fill(0));
  examples.classes.forEach((truth, row) => (counts[truth][predictedOf({ rule, examples }, row)] += 1));
  return counts;
}
