// The model as the page received it: nodes with states, parents and tables.

import { fixed, percent } from "./dom.js";
import { plainNumber, styled } from "./numerals.js";
import { Rule } from "./rule.js";

// Decisions as the library takes them: posteriors that differ by less, relative to the larger, are equal on paper.
const EQUAL = 1e-10;
const PRIOR_SCALE = 1e12;

/** Read the data block of the page. An ensemble has `members`, each a model of its own over the same nodes. */
export function readModel(text) {
  const data = JSON.parse(text);
  if (data.examples) data.examples.codes = decodeRows(data.examples.codes, data.nodes.length);
  if (data.examples) data.examples.numbers ??= {};
  data.rule = new Rule(); // members share it
  const model = network(data, data, "<f8");
  if (data.ensemble) {
    const { members, precision } = data.ensemble;
    model.members = members.map((member, k) => ({ ...network(data, member, precision), number: k + 1, costs: data.ensemble.costs }));
  }
  return model;
}

/** A network over the nodes of the page: what all have in common, and what is its own. */
function network(data, own, precision) {
  const form = matchMedia("(max-width: 600px)").matches ? "narrow" : "wide", drawing = own[form]; // undefined for a network that is not drawn
  const nodes = data.nodes.map((node, index) => ({
    ...node, index, arity: node.states.length, parents: own.parents[index], family: [...own.parents[index], index], children: [], table: null,
    at: drawing?.at[index], blanket: own.blanket?.[index] ?? true, information: own.information?.[index] ?? null, told: own.told?.[index] ?? null, absent: own.absent?.includes(index) ?? false, added: own.added?.[index] ?? null,
  }));
  for (const node of nodes) for (const p of node.parents) nodes[p].children.push(node.index);
  if (own.tables !== undefined) cutTables(nodes, decodeFloats(own.tables, precision));
  const readings = own.readings && { ...own.readings, tables: cutEvidence(nodes, data.target, decodeFloats(own.readings.tables, precision)) };
  const arcs = own.arcs?.map((arc, k) => ({ ...arc, bends: drawing.bends[k] }));
  const starts = own.starts?.map((start) => ({ ...start, ...start[form] })) ?? []; // drawings of the most telling nodes alone
  return { ...data, ...own, readings, nodes, arcs, starts, downwards: drawing?.downwards, distance: drawing?.distance, drawn: drawing !== undefined };
}

function cutTables(nodes, numbers) {
  let start = 0;
  for (const node of nodes) {
    const size = node.family.reduce((product, k) => product * nodes[k].arity, 1);
    node.table = numbers.subarray(start, start + size);
    start += size;
  }
}

/** The evidence of each feature that has the class as a parent, an axis for each other node of its family; null for others; last the class. */
function cutEvidence(nodes, target, numbers) {
  const classes = nodes[target].arity;
  let start = 0;
  return nodes.map((node) => {
    if (node.index !== target && !node.parents.includes(target)) return null;
    const size = node.family.reduce((product, k) => product * (k === target ? classes : nodes[k].arity + 1), 1);
    start += size;
    return numbers.subarray(start - size, start);
  });
}

function decodeBytes(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes.buffer;
}

export function decodeFloats(text, precision) {
  const bytes = decodeBytes(text);
  return precision === "<f4" ? Float64Array.from(new Float32Array(bytes)) : new Float64Array(bytes);
}

function decodeRows(text, columns) {
  const codes = new Int32Array(decodeBytes(text));
  const rows = [];
  for (let start = 0; start < codes.length; start += columns) rows.push(codes.subarray(start, start + columns));
  return rows;
}

/** Frequencies of the classes without the rounding errors of their sums. */
export function roundedPrior(prior) {
  return Array.from(prior, (p) => Math.round(p * PRIOR_SCALE) / PRIOR_SCALE);
}

/** The most probable class; of those equal on paper the one that is more frequent, then the first. */
export function mostProbable(p, prior) {
  const largest = Math.max(...p);
  return preferred(Array.from(p, (value) => value >= largest * (1 - EQUAL)), prior);
}

/** The class of the smallest expected cost; costs[true class][decision]. */
export function cheapest(p, costs, prior) {
  const risks = costs[0].map((_, decision) => p.reduce((sum, share, truth) => sum + share * costs[truth][decision], 0));
  const least = Math.min(...risks);
  return preferred(risks.map((risk) => risk <= least + 1e-12 * Math.abs(least) + 1e-15), prior);
}

/** The most frequent of the candidates; ties go to the first. */
function preferred(candidates, prior) {
  const rounded = roundedPrior(prior);
  let best = -1;
  candidates.forEach((is, k) => { if (is && (best < 0 || rounded[k] > rounded[best])) best = k; });
  return best;
}

/** The state that a number falls into: a value equal to a cut belongs to the interval below it. */
export function stateOfNumber(node, value) {
  return node.cuts.filter((cut) => value > cut).length;
}

/** A node and one of its states in words: "colour = red", but "age ≤ 18 years". */
export function inWords(node, state, longest = 200) {
  const clipped = (text) => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`);
  return `${clipped(node.name)} ${node.cuts ? "" : "= "}${clipped(node.states[state])}${node.unit ? ` ${node.unit}` : ""}`;
}

/** Whether the class probabilities of a model are shares of votes. */
export function votes(model) {
  return Boolean(model.members) && model.ensemble.vote === "majority";
}

/** A probability in per cent; votes as what they are. */
export function shareText(model, p) {
  return votes(model) ? `${Math.round(p * model.members.length)} of ${model.members.length} votes` : percent(p);
}

/** How strong an arc is: the information it carries, or how many networks have it. */
export function strengthText(model, strength) {
  const networks = model.members?.length;
  return networks ? `in ${Math.round(strength * networks)} of ${networks} networks` : `${fixed(strength, 3)} bits`;
}

/** The same network with a node as its class: eliminated last, and with what every other node tells about it unknown. */
export function withTarget(model, target) {
  if (target === null) return { ...model, target: null };
  const order = [...model.order.filter((index) => index !== target), target];
  const blanket = markovBlanket(model, target);
  const nodes = model.nodes.map((node) => ({ ...node, blanket: blanket.has(node.index), information: node.index === target ? null : 0 }));
  return { ...model, target, order, nodes, entries: junctionEntries(nodes, order), asked: true };
}

/** Entries of all tables that eliminating nodes in this order makes. */
function junctionEntries(nodes, order) {
  const joined = nodes.map(() => new Set());
  for (const node of nodes) for (const a of node.family) for (const b of node.family) if (a !== b) joined[a].add(b);
  let total = 0;
  for (const index of order) {
    const around = [...joined[index]];
    total += around.reduce((product, k) => product * nodes[k].arity, nodes[index].arity);
    for (const a of around) {
      for (const b of around) if (a !== b) joined[a].add(b);
      joined[a].delete(index);
    }
  }
  return total;
}

/** Parents, children and children's other parents of a node. */
export function markovBlanket(model, index) {
  const node = model.nodes[index];
  const members = new Set([...node.parents, ...node.children]);
  for (const child of node.children) for (const p of model.nodes[child].parents) members.add(p);
  members.delete(index);
  return members;
}

/** A number of a node for people; dates and times as such. */
export function numberText(node, value) {
  const { moment, unit } = node;
  if (moment === "date") return new Date(value * 864e5).toISOString().slice(0, 10);
  if (moment === "datetime") return new Date(value * 1000).toISOString().slice(0, 19).replace("T", " ");
  if (moment === "time") return new Date(value * 1000).toISOString().slice(11, 19);
  return `${styled(plainNumber(value), node.style)}${unit ? ` ${unit}` : ""}`;
}

/** Numbers of labels in the order of people: 2 before 10, where every label has a number in it; else as they are. */
export function naturalOrder(labels) {
  const order = labels.map((_, k) => k);
  return labels.every((label) => /[0-9]/.test(label)) ? order.sort((a, b) => labels[a].localeCompare(labels[b], undefined, { numeric: true }) || a - b) : order;
}

/** How many rows the model was learned from; null where that is not known. */
export function trainingRows(model) {
  const fact = model.learned.data.find(([term]) => term === "Training rows");
  const rows = fact ? Number(fact[1].replaceAll(",", "")) : NaN;
  return Number.isNaN(rows) ? null : rows;
}
