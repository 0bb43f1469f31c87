// Evidence in words: values as they were measured and as the network sees them.

import { numberText } from "./model.js";

/** The value of a node as it was measured and as the network sees it: "27.1 in 6.35 – 27.5", or "30 (> 27.5)". */
export function valueText(store, node) {
  const label = node.states[store.evidence[node.index]], number = store.numbers[node.index];
  if (Number.isNaN(number)) return label;
  return /^[≤>]/.test(label) ? `${numberText(node, number)} (${label})` : `${numberText(node, number)} in ${label}`;
}

/** What is odd about a number: it lies outside everything that was seen in training. */
export function outsideText(store, node) {
  const number = store.numbers[node.index];
  if (Number.isNaN(number) || !node.range || (number >= node.range[0] && number <= node.range[1])) return null;
  return `outside training (${numberText(node, node.range[0])} to ${numberText(node, node.range[1])})`;
}
