// Predictions for a CSV file that is dropped on the page. It is read and predicted in the browser, and goes nowhere.

import { byId, clip, fill, focusOn, grouped, h, percent, scrolled } from "./dom.js";
import { stateOfNumber } from "./model.js";
import { classPosterior } from "./reasons.js";
import { inSlices } from "./slices.js";
import { csvText, download } from "./takeaway.js";

const SHOWN = 8;
const MISSING = new Set(["", "NA", "N/A", "NaN", "nan", "null", "None", "?"]);

/** Take files that are dropped on the page, or chosen by the button in the panel. */
export function mountPredictions(getStore) {
  const element = byId("predictions");
  const take = async (file) => predictFile(getStore(), file.name, await file.text(), element);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) take(event.dataTransfer.files[0]);
  });
  const input = byId("csv-file");
  input.addEventListener("change", () => { if (input.files.length) take(input.files[0]); });
}

function predictFile(store, name, text, element) {
  element.hidden = false;
  const { model } = store;
  const [head, ...rows] = parseCsv(text);
  const columns = model.nodes.map((node) => (node.index === model.target ? -1 : (head ?? []).indexOf(node.column ?? node.name)));
  const reason = !store.canInfer || model.target === null ? "This model cannot predict in a browser." : !rows.length ? "The file has no rows." : columns.every((k) => k < 0) ? "The file has none of the model’s columns." : null;
  if (reason) {
    fill(element, h("p", { class: "note" }, `${clip(name, 60)}: ${reason}`));
    return;
  }
  fill(element, h("p", { class: "hint" }, `${clip(name, 60)}: predicting ${grouped(rows.length)} rows …`));
  inSlices(predictRows(store, columns, rows), () => !element.hidden, (found) => fill(element, shown(store, name, head, rows, columns, found)));
}

/** The class probabilities of each row; null where the model considers it impossible. */
function* predictRows(store, columns, rows) {
  const { model } = store;
  const found = [];
  for (const row of rows) {
    const evidence = Int32Array.from(model.nodes, (node) => (columns[node.index] < 0 ? absent(node) : stateOfText(node, row[columns[node.index]] ?? "")));
    evidence[model.target] = -1;
    found.push(classPosterior(model, store.spareTree(), evidence) ?? Array.from(store.classPrior()));
    yield;
  }
  return found;
}

const absent = (node) => node.fill ?? -1;

/** The state that a text of a file stands for, as prediction in Python reads it; -1 for unknown. */
function stateOfText(node, text) {
  const value = text.trim();
  if (MISSING.has(value)) return absent(node);
  if (node.cuts) {
    const number = node.moment ? Date.parse(node.moment === "date" ? value : `${value}Z`) / (node.moment === "date" ? 864e5 : 1000) : Number(value);
    return Number.isNaN(number) ? absent(node) : stateOfNumber(node, number);
  }
  const labels = node.values ?? node.states;
  const state = labels.indexOf(value);
  const same = state >= 0 ? state : labels.findIndex((label) => label !== "" && value !== "" && Number(label) === Number(value));
  return same >= 0 ? same : node.other ?? (node.gap === null ? absent(node) : -1);
}

function shown(store, name, head, rows, columns, found) {
  const { model } = store;
  const labels = model.nodes[model.target].states;
  const lacking = model.nodes.filter((node) => node.index !== model.target && columns[node.index] < 0 && node.arity > 1).map((node) => node.name);
  const decided = found.map((p) => labels[store.decide(p)]);
  const table = () => csvText([[...head, "predicted", ...labels.map((label) => `P(${label})`)], ...rows.map((row, k) => [...row, decided[k], ...found[k]])]);
  return [
    h("header", { class: "card-head" }, h("h2", {}, `${clip(name, 60)}: ${grouped(rows.length)} rows`),
      h("div", { class: "tools" },
        h("button", { type: "button", class: "quiet", id: "save-predictions", onclick: () => download(`predicted-${name}`, table(), "text/csv") }, "Save as CSV"),
        h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => {
          byId("predictions").hidden = true;
          focusOn("csv-file");
        } }, "×"))),
    lacking.length ? h("p", { class: "note" }, `The file lacks ${clip(lacking.join(", "), 200)}: unknown in every row.`) : null,
    scrolled("Predictions", h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, h("th", {}, "row"), h("th", {}, "predicted"), labels.map((label) => h("th", { class: "number" }, clip(label, 20))))),
      h("tbody", {}, found.slice(0, SHOWN).map((p, k) => h("tr", { "data-predicted": JSON.stringify(Array.from(p)) }, h("td", {}, k + 1), h("td", {}, clip(decided[k], 30)), p.map((each) => h("td", { class: "number" }, percent(each)))))))),
    rows.length > SHOWN ? h("p", { class: "hint" }, `and ${grouped(rows.length - SHOWN)} more in the file to save. Nothing has left this browser.`) : h("p", { class: "hint" }, "Nothing has left this browser."),
  ];
}

/** Lines of cells, by commas, semicolons or tabs as the first line has them; cells may be quoted. */
function parseCsv(text) {
  const first = text.slice(0, text.indexOf("\n") < 0 ? text.length : text.indexOf("\n"));
  const mark = [",", ";", "\t"].reduce((best, each) => (first.split(each).length > first.split(best).length ? each : best), ",");
  const rows = [[""]];
  let quoted = false;
  for (let k = text.charCodeAt(0) === 0xfeff ? 1 : 0; k < text.length; k++) {
    const row = rows[rows.length - 1], letter = text[k];
    if (quoted) {
      if (letter !== '"') row[row.length - 1] += letter;
      else if (text[k + 1] === '"') row[row.length - 1] += text[++k];
      else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === mark) row.push("");
    else if (letter === "\n") rows.push([""]);
    else if (letter !== "\r") row[row.length - 1] += letter;
  }
  return rows.filter((row) => row.length > 1 || row[0] !== "");
}
