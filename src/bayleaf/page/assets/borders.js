// Borders: numbers that lie so near to a cut that measuring them again may put them on its other side, and how far away
// other values are.

import { numberText, stateOfNumber } from "./model.js";
import { styled } from "./numerals.js";
import { classPosterior } from "./reasons.js";

const NEAR = 0.02; // of the cut, and of the range in training

/** The nearest cut of a number that is near to one: { cut, state } with the state beyond it; null for others, and for dates. */
export function nearBorder(node, number) {
  if (!node.cuts?.length || node.moment || Number.isNaN(number)) return null;
  const cut = node.cuts.reduce((best, each) => (Math.abs(each - number) < Math.abs(best - number) ? each : best));
  const range = node.range ? node.range[1] - node.range[0] : Infinity;
  if (Math.abs(cut - number) > NEAR * Math.min(Math.abs(cut) || range, range)) return null;
  const state = node.cuts.indexOf(cut);
  return { cut, state: number > cut ? state : state + 1 };
}

/** The values of a case that are near a border, the nearest first: { index, number, cut, state, decision, p } each, as decided beyond it. */
export function casesBeyond(store, evidence) {
  const { model } = store;
  const changed = Int32Array.from(evidence), found = [];
  for (const node of model.nodes) {
    const number = store.numbers[node.index], near = evidence[node.index] >= 0 ? nearBorder(node, number) : null;
    if (node.index === model.target || !near) continue;
    changed[node.index] = near.state;
    const posterior = classPosterior(model, store.spareTree(), changed);
    changed[node.index] = evidence[node.index];
    if (posterior) found.push({ index: node.index, number, ...near, decision: store.decide(posterior), p: posterior });
  }
  const share = ({ number, cut }) => Math.abs(number - cut) / Math.max(Math.abs(cut), 1e-300);
  return found.sort((a, b) => share(a) - share(b));
}

/** How far a number is from a cut: "0.6% above the border 0.192". */
export function borderText(node, number, cut) {
  const share = cut === 0 ? null : Math.abs((number - cut) / cut), side = number > cut ? "above" : "below";
  const text = share === null ? "" : share < 0.0005 ? "<0.1% " : `${(100 * share).toFixed(1)}% `;
  return number === cut ? `on the border ${cutText(node, cut)}` : `${text}${side} the border ${cutText(node, cut)}`;
}

export function cutText(node, cut) {
  return styled(node.cutTexts[node.cuts.indexOf(cut)], node.style);
}

/**
 * How far another state of a node is from what is set, as a share of the range of its numbers in training; between
 * intervals without a number, as a share of the intervals. Other categories are as far as can be.
 */
export function distanceTo(store, { index, from, state }) {
  const node = store.model.nodes[index], intervals = node.cuts?.length + 1;
  if (!node.cuts || from < 0 || state >= intervals || from >= intervals) return 1;
  const number = store.numbers[index];
  if (Number.isNaN(number) || !node.range || !(node.range[1] > node.range[0])) return (Math.abs(state - from) - 0.5) / intervals;
  return Math.abs(number - edgeTowards(node, from, state)) / (node.range[1] - node.range[0]);
}

const edgeTowards = (node, from, state) => (state > from ? node.cuts[state - 1] : node.cuts[state]);

/** What a number would have to be for another state: "0.0011 less (0.6%)"; null where that is not known. */
export function stepText(store, { index, from, state }) {
  const node = store.model.nodes[index], number = store.numbers[index];
  if (!node.cuts || node.moment || from < 0 || state > node.cuts.length || Number.isNaN(number) || stateOfNumber(node, number) !== from) return null;
  const edge = edgeTowards(node, from, state), step = Math.abs(number - edge), share = number === 0 ? null : step / Math.abs(number);
  const size = numberText({ style: node.style }, Number((node.whole ? Math.max(1, Math.ceil(step)) : step).toPrecision(2)));
  return `${size} ${state > from ? "more" : "less"}${share === null ? "" : ` (${share < 0.001 ? "<0.1" : Number((100 * share).toPrecision(2))}%)`}`;
}
