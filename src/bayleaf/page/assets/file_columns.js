// A text file with one row per line, read as `bayleaf predict` reads it: what separates, what is missing, what is a
// number. What cannot be read is counted by column, with examples; whoever asks decides what becomes of it.

import { momentsOfTexts, partOfMoment } from "./date_texts.js";
import { stateOfNumber } from "./model.js";
import { numberOfText } from "./number_texts.js";

const DELIMITERS = [",", ";", "\t", "|"];
const PLAIN = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const WITH_COMMA = /^[+-]?([0-9]{1,3}(\.[0-9]{3})+|[0-9]*)(,[0-9]*)?(e[+-]?[0-9]+)?$/i;
const WITH_THOUSANDS = /^[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+$/, WHOLE = /^[+-]?[0-9]+$/;
const NUMERAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const MOMENTS = ["date", "datetime", "time", "duration"];
const SAFE = 2 ** 53;

/** What is wrong with a file as a whole, in a sentence. */
export class FileProblem extends Error {}

/** The bytes of a file as { head, rows, mark }: names of columns, rows of cells, and what separates them. */
export function readTable(bytes, name) {
  const text = decoded(bytes).replace(/[\r\n]+$/, "");
  const announced = /^"?sep=([^"\r\n])"?[ \t]*(?=[\r\n]|$)/i.exec(text);
  const content = announced ? text.slice(announced[0].length) : text;
  const mark = announced?.[1] ?? delimiterOf(content, /\.(tsv|tab)$/i.test(name) ? "\t" : ",");
  const [first, ...rows] = cells(content, mark);
  if (!first) throw new FileProblem("The file has neither a header nor rows.");
  const head = first.map((each, k) => each.trim() || `column_${k + 1}`);
  const twice = head.find((each, k) => head.indexOf(each) !== k);
  if (twice !== undefined) throw new FileProblem(`The file has more than one column named “${twice}”: give each its own name.`);
  if (!rows.length) throw new FileProblem("The file has a header but no rows.");
  const odd = rows.findIndex((row) => row.length !== head.length);
  if (odd >= 0) throw new FileProblem(`Row ${odd + 1} has ${rows[odd].length} fields; the header has ${head.length}.`);
  return { head, rows, mark };
}

function decoded(bytes) {
  const start = new Uint8Array(bytes.slice(0, 2));
  if (start[0] === 0xff && start[1] === 0xfe || start[0] === 0xfe && start[1] === 0xff) throw new FileProblem("The file is UTF-16 text: save it as UTF-8.");
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new FileProblem("The file is not UTF-8 text: save it as CSV in UTF-8.");
  }
  if (text.includes("\0")) throw new FileProblem("The file has a NUL character: it is no text file, or is damaged.");
  if (!text.trim()) throw new FileProblem("The file is empty.");
  return text;
}

/** The usual mark where the header has it, else the most frequent of those that it has. */
function delimiterOf(text, usual) {
  const header = text.replace(/^[\r\n]+/, "").split("\n", 1)[0].split('"').filter((_, k) => k % 2 === 0).join("");
  if (header.includes(usual)) return usual;
  const count = (mark) => header.split(mark).length;
  return DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best), usual);
}

/** Rows of cells; a cell that begins with a quote ends with one, and has its line ends, marks and doubled quotes inside. */
function cells(text, mark) {
  const rows = [];
  let row = [""], quoted = false;
  for (let k = 0; k <= text.length; k++) {
    const letter = text[k], last = row.length - 1;
    if (quoted) {
      if (letter === undefined) throw new FileProblem(`A quote is never closed, in row ${rows.length} or later.`);
      if (letter !== '"') row[last] += letter;
      else if (text[k + 1] === '"') row[last] += text[++k];
      else quoted = false;
    } else if (letter === '"' && row[last] === "") quoted = true;
    else if (letter === mark) row.push("");
    else if (letter === "\n" || letter === "\r" || letter === undefined) {
      if (row.length > 1 || row[0] !== "") rows.push(row);
      row = [""];
    } else row[last] += letter;
  }
  return rows;
}

/** Names that differ in capitals, blanks and underlines only are taken for the same, once the reader agrees. */
const loosely = (name) => name.normalize("NFKC").toLowerCase().replace(/[\s_.-]+/g, "");

/**
 * Every column of the model as the file has it: { codes, numbers } by node, { state: rows } for the class, and `report`,
 * one line per column: { name, found, read, missing, unknown, unread, note }, the last two but one as Maps of texts to rows.
 */
export function readColumns(model, { head, rows, mark }) {
  const { file, nodes, target } = model;
  const missing = new Set(file.missing);
  const column = (k) => rows.map((row) => {
    const text = row[k].trim();
    return text === "" || missing.has(text) ? null : text;
  });
  const texts = head.map((_, k) => column(k));
  const isText = new Set(file.columns.filter(({ dtype, reading }) => dtype === "string" || reading).map(({ name }) => name));
  const commas = decimalCommas(head, texts, mark, isText);
  const taken = new Set(file.columns.map(({ name }) => name)), codes = nodes.map(() => null), numbers = nodes.map(() => null);
  const report = file.columns.map((each) => {
    const near = head.findIndex((name) => name === each.name);
    const found = near >= 0 ? near : onlyOne(head, (name) => !taken.has(name) && name !== file.target && loosely(name) === loosely(each.name));
    const line = { name: each.name, found: found < 0 ? null : head[found], dtype: each.dtype, read: 0, missing: 0, unknown: new Map(), unread: new Map(), note: "" };
    const cellsOf = found < 0 ? rows.map(() => null) : texts[found];
    readColumn({ model, each, codes, numbers, line, commas: commas.has(found) }, cellsOf);
    return line;
  });
  const place = head.indexOf(file.target);
  const truth = place < 0 ? null : texts[place].map((text) => (text === null ? null : { text, state: stateOfLabel(nodes[target], text) }));
  const extra = head.filter((name) => !report.some(({ found }) => found === name) && name !== file.target);
  return { codes, numbers, truth, report, extra };
}

function onlyOne(head, holds) {
  const found = head.flatMap((name, k) => (holds(name) ? [k] : []));
  return found.length === 1 ? found[0] : -1;
}

/** Which columns of a file with semicolons have decimal commas; beside these, points that may be of thousands are refused. */
function decimalCommas(head, texts, mark, isText) {
  const found = new Set();
  if (mark !== ";") return found;
  const others = [];
  texts.forEach((all, k) => {
    const given = all.filter((text) => text !== null);
    if (isText.has(head[k]) || !given.length) return;
    const isNumber = given.some((text) => text.includes(",")) && given.every((text) => WITH_COMMA.test(text) && PLAIN.test(commaAsPoint(text)));
    if (isNumber) found.add(k);
    else others.push([k, given]);
  });
  for (const [k, given] of found.size ? others : []) {
    const pointed = given.filter((text) => text.includes("."));
    if (pointed.length && pointed.every((text) => WITH_THOUSANDS.test(text)) && given.every((text) => WITH_THOUSANDS.test(text) || WHOLE.test(text))) {
      throw new FileProblem(`The file has decimal commas in the column “${head[found.values().next().value]}”, so “${pointed[0]}” in the column “${head[k]}” may have decimals or thousands: write it without a point.`);
    }
  }
  return found;
}

const commaAsPoint = (text) => text.replaceAll(".", "").replace(",", ".");

/** Read one column into the codes of its nodes, and say in a line of the report what became of its values. */
function readColumn({ model, each, codes, numbers, line, commas }, cellsOf) {
  const { nodes, file } = model;
  const node = each.node === null ? null : nodes[each.node];
  const different = [...new Set(cellsOf.filter((text) => text !== null))];
  const found = valuesOf({ each, node, file, line, commas }, different);
  const rows = cellsOf.length;
  if (node) {
    codes[node.index] = new Int32Array(rows);
    if (node.cuts) numbers[node.index] = new Float64Array(rows).fill(NaN);
  }
  const words = each.dtype === "identifier" ? new Map(different.map((text) => [text, wordsOf(text)])) : null;
  for (const [index] of each.parts) codes[index] = new Int32Array(rows);
  cellsOf.forEach((text, k) => {
    const value = text === null ? { missing: true } : found.get(text);
    if (value.missing) line.missing += 1;
    else if (value.unread) add(line.unread, text);
    else if (value.unknown) add(line.unknown, text);
    else line.read += 1;
    if (node) codes[node.index][k] = stateOf(node, value);
    if (node?.cuts) numbers[node.index][k] = value.number ?? NaN;
    for (const [index, part, word] of each.parts) {
      const code = !words ? partOfMoment(part, value.number ?? NaN, each.dtype) : text === null ? -1 : Number(words.get(text).has(word));
      codes[index][k] = code < 0 ? nodes[index].fill ?? -1 : code;
    }
  });
}

/** The different words of a free text: of at least two characters, one of them no digit. */
function wordsOf(text) {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []).filter((word) => !/^\p{Nd}+$/u.test(word)));
}

function add(counts, text) {
  counts.set(text, (counts.get(text) ?? 0) + 1);
}

/** The state of a value: what is missing or unread has the state of gaps, if there is one; a category never seen that of others. */
function stateOf(node, { state, number, unknown }) {
  if (state !== undefined) return state;
  if (number !== undefined) return stateOfNumber(node, number);
  if (unknown) return node.other ?? (node.gap === null ? node.fill ?? -1 : -1);
  return node.fill ?? -1;
}

/** What each of the different texts of a column stands for: { number }, { state }, { missing }, { unknown } or { unread }. */
function valuesOf({ each, node, file, line, commas }, texts) {
  const values = new Map();
  const isNumber = each.dtype === "integer" || each.dtype === "float", isMoment = MOMENTS.includes(each.dtype);
  const marks = new Set(each.marks.filter((mark) => typeof mark === "string"));
  const isMark = (text) => marks.has(text) || ((isNumber || isMoment) && saysMissing(text, file.marks));
  if (each.dtype === "untyped") return new Map(texts.map((text) => [text, { missing: true }]));
  const plain = isNumber && texts.every((text) => PLAIN.test(text));
  const known = (plain && !each.reading) || commas ? texts : texts.filter((text) => !isMark(text));
  for (const text of texts) values.set(text, { missing: true });
  if (isNumber) {
    // As in training, unless only plain numbers make sense of all of them.
    const asInFit = (text) => numberOfText(text, each.reading ?? undefined);
    const isPlain = plain && !(each.reading && known.every((text) => !Number.isNaN(asInFit(text))));
    const read = isPlain ? Number : commas ? (text) => Number(commaAsPoint(text)) : asInFit;
    if (commas) line.note = "decimal comma";
    for (const text of known) values.set(text, asNumber(read(text), each, node));
  } else if (isMoment) {
    const moments = momentsOfTexts(known, each);
    for (const text of known) values.set(text, Number.isNaN(moments.get(text)) ? { unread: true } : { number: moments.get(text) });
  } else {
    const isTruth = each.dtype === "boolean" && !commas, labels = node && labelsOf(node);
    for (const text of known) values.set(text, node ? asLabel(labels, text) : {});
    // Of true and false, other texts are another kind of value.
    if (isTruth && known.length && known.every((text) => values.get(text).unknown && keyOf(text, false) === null)) for (const text of known) values.set(text, { unread: true });
  }
  return values;
}

function asNumber(number, each, node) {
  if (!Number.isFinite(number)) return { unread: true };
  if (each.marks.includes(number)) return { missing: true };
  if (!node || node.cuts) return { number };
  const labels = labelsOf(node), state = labels.numbers.get(number);
  return state === undefined ? { unknown: true } : { state };
}

/** Whether a text usually says that there is no value, such as "-", "n.d." or "unknown". */
function saysMissing(text, patterns) {
  if (/^\p{Nd}/u.test(text)) return false;
  const bare = text.toLowerCase().replace(/[. \u00a0]/g, "");
  return patterns.some((pattern) => new RegExp(`^(?:${pattern})$`).test(bare));
}

const labelsByNode = new WeakMap();

/** The states of a category: by their texts, and by the numbers that these are, unless two are the same number. */
function labelsOf(node) {
  if (!labelsByNode.has(node)) labelsByNode.set(node, foundLabels(node));
  return labelsByNode.get(node);
}

function foundLabels(node) {
  const all = (node.values ?? node.states).slice(0, node.gap ?? undefined);
  const truth = all.every((label) => [0, 1].includes(keyOf(label, true)));
  const texts = new Map(all.map((label, k) => [label, k])), numbers = new Map(), twice = new Set();
  all.forEach((label, k) => {
    const key = keyOf(label, truth);
    if (numbers.has(key)) twice.add(key);
    numbers.set(key, k);
  });
  numbers.delete(null);
  for (const key of twice) numbers.delete(key);
  return { texts, numbers, truth };
}

function asLabel({ texts, numbers, truth }, text) {
  const state = texts.get(text) ?? numbers.get(keyOf(text, truth));
  return state === undefined ? { unknown: true } : { state };
}

/** The number that a text is, as programs write numbers; null for other texts. */
function keyOf(text, truth) {
  if (truth && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true" ? 1 : 0;
  if (!NUMERAL.test(text) || text.length > 40) return null;
  const number = Number(text);
  return Math.abs(number) <= SAFE ? number : null;
}

/** The class that a text names; -1 for one that the model does not know. */
function stateOfLabel(node, text) {
  return asLabel(labelsOf(node), text).state ?? -1;
}
