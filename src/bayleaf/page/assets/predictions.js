// A CSV file that is dropped on the page: what was read of it, its rows as cases, and how good the model is on them where
// it has the class. It is read and predicted in the browser, and goes nowhere.

import { caseTable, isRight } from "./case_table.js";
import { breakable, byId, clip, fill, fixed, focusOn, grouped, h, intervalText, percent1, scrolled, shade } from "./dom.js";
import { FileProblem, readColumns, readTable } from "./file_columns.js";
import { wilson } from "./groups.js";
import { naturalOrder } from "./model.js";
import { classPosterior } from "./reasons.js";
import { inSlices } from "./slices.js";
import { csvText, download } from "./takeaway.js";

const LEAST_P = 1e-15; // in the log-loss, as in Python
const MOSTLY = 0.5; // of the values of a column
const EXAMPLES = 3;
const MATRIX = 12; // classes

let decideAgain = () => {}; // about the rows that are shown

/** Take files that are dropped on the page, or chosen by the button in the panel. Returns a function that decides again. */
export function mountPredictions(getStore) {
  const element = byId("predictions");
  const take = async (file) => openFile(getStore, file.name, await file.arrayBuffer(), element);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) take(event.dataTransfer.files[0]);
  });
  const input = byId("csv-file");
  input.addEventListener("change", () => {
    if (input.files.length) take(input.files[0]);
    input.value = ""; // the same file may be chosen again
  });
  return () => decideAgain();
}

function openFile(getStore, name, bytes, element) {
  const store = getStore(), { model } = store;
  element.hidden = false;
  decideAgain = () => {};
  try {
    if (!store.canInfer || model.target === null || !model.file) throw new FileProblem("This model cannot predict in a browser.");
    const table = readTable(bytes, name), columns = readColumns(model, table);
    if (columns.report.every(({ found }) => found === null)) throw new FileProblem("The file has none of the model’s columns.");
    const asked = questions(model.file, columns.report, table.rows.length);
    if (asked.length) ask(asked, { store, name, table, columns, element, getStore });
    else predict({ store, name, table, columns, element, getStore });
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    fill(element, heading(name, null), h("p", { class: "note alarm", role: "alert" }, `${clip(name, 60)}: ${error.message}`));
  }
}

/** What must be agreed to before anything is predicted: `bayleaf predict` refuses a file for the same reasons. */
function questions(file, report, rows) {
  const found = [];
  const names = (lines) => clip(lines.map(({ name }) => `“${name}”`).join(", "), 200);
  for (const { name, found: other } of report) if (other !== null && other !== name) found.push({ text: `The file has no column “${name}”; “${other}” would be taken for it.` });
  const absent = report.filter(({ found: other, dtype }) => other === null && dtype !== "identifier");
  if (absent.length && !file.may_lack) found.push({ text: `The file lacks ${absent.length === 1 ? "a column" : `${absent.length} columns`} of the model, unknown in every row then: ${names(absent)}.` });
  for (const { name, unread, unknown, read, dtype } of report) {
    const count = total(unread), given = count + read + total(unknown);
    if (count > MOSTLY * given) found.push({ text: `The column “${name}” cannot be read: ${grouped(count)} of its ${grouped(given)} values are no ${kindWord(dtype)} (${examples(unread)}).`, alarm: true });
    else if (count) found.push({ text: `${grouped(count)} of the ${grouped(given)} values of “${name}” are no ${kindWord(dtype)} (${examples(unread)}).` });
    if (file.refuses_unknown && unknown.size) found.push({ text: `“${name}” has values not seen in training (${examples(unknown)}), which this model refuses.` });
  }
  return rows ? found : [];
}

const total = (counts) => [...counts.values()].reduce((a, b) => a + b, 0);

function examples(counts) {
  const shown = [...counts.keys()].slice(0, EXAMPLES).map((text) => `“${clip(text, 24)}”`).join(", ");
  return counts.size > EXAMPLES ? `${shown}, …` : shown;
}

function kindWord(dtype) {
  return { integer: "numbers", float: "numbers", boolean: "true or false", string: "categories" }[dtype] ?? `${dtype}s in a form that is known`;
}

/** Nothing is predicted before the reader agrees. */
function ask(asked, context) {
  const { name, table, columns, element } = context;
  fill(element, heading(name, table.rows.length),
    h("p", {}, h("strong", {}, "Nothing is predicted yet.")),
    asked.map(({ text, alarm }) => h("p", { class: alarm ? "note alarm" : "note", role: alarm ? "alert" : null }, text)),
    h("p", {}, h("button", { type: "button", class: "quiet", id: "predict-anyway", onclick: () => predict(context) }, "Take what cannot be read as unknown, and predict")),
    readingReport(columns, table, true));
}

function predict(context) {
  const { store, name, table, columns, element } = context;
  fill(element, heading(name, table.rows.length), h("p", { class: "hint", role: "status" }, `predicting ${grouped(table.rows.length)} rows …`));
  inSlices(predictRows(store, columns, table.rows.length), () => !element.hidden, (found) => {
    decideAgain = () => fill(element, shown(context, found));
    decideAgain();
  });
}

/** The class probabilities of each row; the class frequencies where the model considers it impossible. */
function* predictRows(store, { codes }, rows) {
  const { model } = store;
  const found = [];
  for (let k = 0; k < rows; k++) {
    const evidence = Int32Array.from(codes, (column) => (column ? column[k] : -1));
    evidence[model.target] = -1;
    found.push(Array.from(classPosterior(model, store.spareTree(), evidence) ?? store.classPrior()));
    yield;
  }
  return found;
}

function shown({ store, name, table, columns, getStore }, found) {
  const { nodes, target } = store.model, labels = nodes[target].states;
  const cases = found.map((p, k) => ({ number: k + 1, index: k, text: table.rows[k].join(" "), p, decided: store.decide(p), truth: columns.truth?.[k]?.text ?? null, state: columns.truth?.[k]?.state ?? -1 }));
  const list = caseTable(labels, cases, (each) => {
    getStore().loadCase({ name: `row ${each.number} of ${clip(name, 40)}`, truth: each.truth, evidence: evidenceOf(nodes, columns, each.index) });
    byId("tab-why").click();
    byId("tab-why").focus();
    byId("views").scrollIntoView(); // the table may be longer than the screen
  });
  const text = () => csvText([[...table.head, "predicted", ...labels.map((label) => `P(${label})`)], ...cases.map((each) => [...table.rows[each.index], labels[each.decided], ...each.p])]);
  return [
    heading(name, table.rows.length, h("button", { type: "button", class: "quiet", id: "save-predictions", onclick: () => download(`predicted-${name}`, text(), "text/csv") }, "Save as CSV")),
    readingReport(columns, table, false), scores(labels, cases, list), list.element,
    h("p", { class: "hint" }, "Nothing has left this browser."),
  ];
}

function evidenceOf(nodes, { codes, numbers }, k) {
  return nodes.filter(({ index, arity }) => codes[index] && codes[index][k] >= 0 && arity > 1)
    .map(({ index }) => [index, codes[index][k], numbers[index]?.[k] ?? NaN]);
}

function heading(name, rows, ...tools) {
  return h("header", { class: "card-head" }, h("h2", {}, rows === null ? clip(name, 60) : `${clip(name, 60)}: ${grouped(rows)} ${rows === 1 ? "row" : "rows"}`),
    h("div", { class: "tools" }, tools, h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => {
      byId("predictions").hidden = true;
      focusOn("csv-file");
    } }, "×")));
}

/** What became of each column: read, missing, not seen in training, not read; those without a remark are folded. */
function readingReport({ report, extra, truth }, { mark }, open) {
  const isOdd = (line) => line.found !== line.name || line.unknown.size || line.unread.size || line.note;
  const odd = report.filter(isOdd), rest = report.length - odd.length;
  const separated = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" }[mark] ?? `“${mark}”`;
  const unread = report.reduce((sum, line) => sum + total(line.unread) + total(line.unknown), 0);
  const parts = [`Fields separated by ${separated}.`, odd.length ? "" : `All ${grouped(report.length)} columns were read.`,
    unread ? `${grouped(unread)} values count as unknown.` : "", truth ? "The class is in the file." : "",
    extra.length ? `Not used: ${clip(extra.join(", "), 120)}.` : ""];
  const header = h("thead", {}, h("tr", {}, h("th", {}, "column"), h("th", {}, "read as"), ["read", "missing", "unknown"].map((text) => h("th", { class: "number" }, text)), h("th", {}, "remarks")));
  return h("details", { id: "reading-report", open: open || odd.some((line) => line.unread.size || line.unknown.size) },
    h("summary", {}, "What was read"),
    h("p", { class: "hint" }, parts.filter(Boolean).join(" ")),
    odd.length ? scrolled("Columns", h("table", { class: "plain" }, header, h("tbody", {}, odd.map(reportLine)))) : null,
    odd.length && rest ? h("p", { class: "hint" }, `The other ${grouped(rest)} columns were read as they were in training.`) : null);
}

function reportLine(line) {
  const remarks = [line.found === null ? "not in the file: unknown in every row" : line.found !== line.name ? `written “${line.found}” in the file` : null, line.note || null,
    line.unknown.size ? `not seen in training: ${examples(line.unknown)}` : null, line.unread.size ? `could not be read: ${examples(line.unread)}` : null];
  const count = (number) => h("td", { class: "number" }, number ? grouped(number) : "·");
  return h("tr", { "data-column": line.name, "data-unread": total(line.unread), "data-unknown": total(line.unknown) },
    h("th", { scope: "row", title: line.name }, breakable(clip(line.name, 40))), h("td", {}, { integer: "number", float: "number", string: "category", boolean: "true or false", untyped: "nothing", identifier: "free text" }[line.dtype] ?? line.dtype),
    count(line.read), count(line.missing), count(total(line.unknown) + total(line.unread)), h("td", {}, remarks.filter(Boolean).join("; ")));
}

/** How good the model is on rows whose class the file has; a number of the matrix lists its rows. */
function scores(labels, cases, list) {
  const known = cases.filter(({ truth }) => truth !== null);
  if (!known.length) return null;
  const right = known.filter(isRight).length, loss = known.reduce((sum, { p, state }) => sum - Math.log(Math.max(p[state] ?? 0, LEAST_P)), 0) / known.length;
  const strangers = known.filter(({ state }) => state < 0), counts = labels.map((_, k) => known.filter(({ state }) => state === k).length);
  const most = counts.indexOf(Math.max(...counts));
  const share = right / known.length;
  return h("section", { id: "file-scores", "data-accuracy": share, "data-loss": loss },
    h("p", {}, h("strong", {}, `${percent1(share)} of ${known.length === cases.length ? "the" : "those"} ${grouped(known.length)} rows ${known.length === cases.length ? "" : "with a class "}are predicted correctly`),
      ` (95% interval ${intervalText(...wilson(share, known.length), percent1)}); log-loss ${fixed(loss, 3)}. Always deciding for ${clip(labels[most], 30)} would be correct in ${percent1(counts[most] / known.length)}.`),
    strangers.length ? h("p", { class: "note" }, `${grouped(strangers.length)} ${strangers.length === 1 ? "row has a class" : "rows have classes"} that the model does not know (${examples(new Map(strangers.map(({ truth }) => [truth, 1])))}): counted as misclassified.`) : null,
    labels.length <= MATRIX ? matrix(labels, known, list) : null);
}

function matrix(labels, known, list) {
  const order = naturalOrder(labels);
  const cell = (truth, decided) => {
    const holds = (each) => each.truth !== null && each.state === truth && each.decided === decided, count = known.filter(holds).length;
    const text = `${clip(labels[truth], 30)} predicted as ${clip(labels[decided], 30)}`;
    const element = h("td", { class: truth === decided ? "right" : "" }, count ? h("button", { type: "button", class: "cell", "aria-label": `${text}: ${count} rows`, onclick: () => list.show({ text, holds }) }, grouped(count)) : "·");
    shade(element, "background", count / Math.max(1, known.filter(({ state }) => state === truth).length));
    return element;
  };
  return scrolled("Confusion matrix of the file", h("table", { class: "heat", id: "file-confusion" },
    h("thead", {}, h("tr", {}, h("th", { class: "corner" }, "true ↓ predicted →"), order.map((k) => h("th", { scope: "col" }, clip(labels[k], 12))))),
    h("tbody", {}, order.map((k) => h("tr", {}, h("th", { scope: "row" }, clip(labels[k], 20)), order.map((j) => cell(k, j)))))));
}
