// What is set, in the address of the page: a link or a bookmark opens the same case again, and so does reloading.
// The values of a case are only in it where the reader asks for that: addresses are kept, synchronised and mailed.
//
// "#why;row=3;e=0.1_4.0_7.2@27.1;pin=...;rule=0.33;theme=dark;keys=off": the view, the row, nodes with their states (and
// numbers as typed), the case that is kept, a threshold for one class, and settings of the page.

import { byId } from "./dom.js";
import { STEPS, ruleFor } from "./rule.js";

const SOON_MS = 60;

/** Read an address: { view, case (its evidence is null for a row as it is in the data), withValues, pinned, rule, theme, keys }; what it does not say is null. */
export function readAddress(hash, model) {
  const [view, ...parts] = hash.replace(/^#/, "").split(";");
  const said = new Map(parts.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]));
  const row = readRow(said.get("row"), model);
  const pinned = said.has("pin") ? { row: readRow(said.get("pinrow"), model), evidence: readEvidence(said.get("pin"), model) } : null;
  return {
    view, theme: ["dark", "light"].includes(said.get("theme")) ? said.get("theme") : null, keys: said.get("keys") ?? null, pinned,
    rule: readRule(said.get("rule"), model),
    withValues: said.has("e") || said.has("pin"),
    case: row === null && !said.has("e") ? null : { row, evidence: said.has("e") ? readEvidence(said.get("e"), model) : null },
  };
}

let waiting = null; // to be written

/** Write it soon, since that takes longer than anything else about a click. A page that has no case to set has no store. */
export function writeAddress(view, model, store = null) {
  const before = location.hash;
  clearTimeout(waiting);
  waiting = setTimeout(() => { if (location.hash === before) writeNow(view, model, store); }, SOON_MS); // a reader's own address comes first
}

/** The view alone, as long as nothing is set. */
function writeNow(view, model, store) {
  const { theme } = document.documentElement.dataset, { chosen } = model.rule;
  const parts = [view, ...(store ? caseParts(store, byId("case-in-address").checked) : []), chosen ? `rule=${chosen.of}.${chosen.step}` : null, theme ? `theme=${theme}` : null, byId("single-keys").checked ? null : "keys=off"];
  history.replaceState(null, "", `#${parts.filter(Boolean).join(";")}`);
}

function caseParts(store, withValues) {
  const { row, evidence } = store.snapshot();
  const { pinned, model } = store;
  const number = (k) => model.examples.rows[k];
  if (!withValues) return [row === null ? null : `row=${number(row)}`];
  return [row === null ? null : `row=${number(row)}`, evidence.length ? `e=${evidenceText(evidence)}` : null,
    pinned ? `pin=${evidenceText(pinned.evidence)}` : null, pinned && pinned.row !== null ? `pinrow=${number(pinned.row)}` : null];
}

/** Set what an address says about the page itself. */
export function applySettings({ theme, keys }) {
  if (theme) document.documentElement.dataset.theme = theme;
  if (keys) byId("single-keys").checked = keys !== "off";
}

function evidenceText(evidence) {
  return evidence.map(([index, state, number]) => `${index}.${state}${Number.isNaN(number) ? "" : `@${number}`}`).join("_");
}

/** A rule that the page could have set itself. */
function readRule(text, model) {
  const [of, step] = (text ?? "").split(".").map(Number);
  return Number.isInteger(step) && step >= 0 && step <= STEPS ? ruleFor(model, of, step) : null;
}

function readRow(text, model) {
  const k = text === undefined || !model.examples ? -1 : model.examples.rows.indexOf(Number(text));
  return k < 0 ? null : k;
}

/** Anything that is not a state of a node is left out. */
function readEvidence(text, model) {
  return text.split("_").map((part) => /^(\d+)\.(\d+)(?:@(-?[\d.e+-]+))?$/.exec(part)).filter(Boolean)
    .map(([, index, state, number]) => [Number(index), Number(state), number === undefined ? NaN : Number(number)])
    .filter(([index, state]) => index < model.nodes.length && state < model.nodes[index].arity);
}
