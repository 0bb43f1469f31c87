// Evidence in words: values as they were measured and as the network sees them.

import { numberText } from "./model.js";
import { placed, styled } from "./numerals.js";

const LITTLE = 0.5; // of the information

/** The value of a node as it was measured and as the network sees it: "27.1 in 6.35 – 27.5", "30 (> 27.5)" or "3". */
export function valueText(store, node) {
  const label = node.states[store.evidence[node.index]], number = store.numbers[node.index];
  if (Number.isNaN(number)) return label;
  if (node.moment || !node.cuts) return seenIn(numberText(node, number), label); // a pool keeps no cuts
  const { text, label: interval } = placed(node, number, store.evidence[node.index]);
  const shown = styled(text, node.style);
  return shown === interval ? shown : seenIn(`${shown}${node.unit ? ` ${node.unit}` : ""}`, interval);
}

function seenIn(number, interval) {
  return /^[≤≥>]/.test(interval) ? `${number} (${interval})` : `${number} in ${interval}`;
}

/** How much of a case is known: values, and of one network their share of the information about the class. */
export function knownText(model, evidence) {
  const features = model.nodes.filter((node) => node.index !== model.target && node.arity > 1 && !node.absent);
  const known = features.filter(({ index, gap }) => evidence[index] >= 0 && evidence[index] !== gap);
  if (!known.length) return model.readings ? "No value is known: these are the class frequencies." : "No value is known.";
  if (known.length === features.length) return `All ${features.length} values known.`;
  const told = (nodes) => nodes.reduce((sum, node) => sum + (node.told ?? node.information ?? 0), 0);
  const all = model.members || model.caution ? 0 : told(features);
  const share = all > 0 ? told(known) / all : known.length / features.length;
  const information = all > 0 ? `, ${wholePercent(share)} of the information` : "";
  return `${known.length} of ${features.length} values known${information}.${share < LITTLE ? " Little is known: more values may change the answer." : ""}`;
}

/** A share that is neither all nor nothing does not look like it. */
function wholePercent(share) {
  if (share >= 0.995 && share < 1) return ">99%";
  return share > 0 && share < 0.005 ? "<1%" : `${(100 * share).toFixed(0)}%`;
}

/** What is odd about a number: it lies outside everything that was seen in training. */
export function outsideText(store, node) {
  const number = store.numbers[node.index];
  if (Number.isNaN(number) || !node.range || (number >= node.range[0] && number <= node.range[1])) return null;
  return `outside training (${numberText(node, node.range[0])} to ${numberText(node, node.range[1])})`;
}
