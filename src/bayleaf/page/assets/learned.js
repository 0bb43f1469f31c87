// Training: everything needed to see how the model was learned, and to reproduce it.

import { traceChart } from "./charts.js";
import { clip, fill, grouped, h, percent, scrolled } from "./dom.js";
import { strengthText } from "./model.js";
import { figureTools } from "./takeaway.js";

const MOST_CLASSES = 60;

export function mountLearned(model, view) {
  const { learned } = model;
  fill(view, h("div", { class: "columns" },
    learned.warnings.length ? h("section", { class: "card warnings" }, h("h2", {}, "Please note"), h("ul", {}, learned.warnings.map((text) => h("li", {}, text)))) : null,
    learned.references.length || learned.method ? method(learned) : null,
    facts("Data", [...learned.data, ...(model.source ? [["Rows on this page from", model.source]] : [])]),
    learned.classes.length ? classTable(learned.classes) : null,
    facts("Size and score", learned.scores),
    learned.settings.length ? facts("Settings", learned.settings, true) : null,
    learned.search ? searchTrace(learned.search) : null,
    strongestArcs(model),
    h("section", { class: "card wide" }, h("h2", {}, "Reproduce this model"), learned.command ? snippet("Command line", learned.command) : null, snippet("Python", learned.python)),
    model.columns.length ? columnsCard(model) : null,
    facts("Versions", [...learned.versions, ["Page written", learned.written]])));
}

/** How the columns were read, as in inspect. */
function columnsCard({ columns }) {
  return h("section", { class: "card wide", id: "columns" }, h("h2", {}, "Columns as read"),
    scrolled("Columns as read", h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, ["column", "read as", "states", "gaps", "note"].map((name) => h("th", {}, name)))),
      h("tbody", {}, columns.map((line) => h("tr", {}, line.map((text) => h("td", { title: text }, clip(text, 60)))))))));
}

function facts(title, rows, code = false) {
  return h("section", { class: "card" }, h("h2", {}, title),
    h("dl", { class: "facts" }, rows.map(([term, text]) => [h("dt", {}, term), h("dd", {}, code ? h("code", {}, text) : text)])));
}

function method(learned) {
  return h("section", { class: "card" }, h("h2", {}, "Method"),
    learned.method ? h("p", {}, "Published as ", h("strong", {}, learned.method), ".") : null,
    learned.references.map(([what, text]) => [h("h3", {}, what), h("p", { class: "reference-text" }, text)]));
}

function classTable(classes) {
  const rest = classes.length - MOST_CLASSES;
  const total = classes.reduce((sum, [, weight]) => sum + weight, 0);
  const most = Math.max(...classes.map(([, weight]) => weight));
  return h("section", { class: "card" }, h("h2", {}, "Classes in training"), h("table", { class: "plain" }, h("tbody", {}, classes.slice(0, MOST_CLASSES).map(([label, weight]) => {
    const bar = h("span", { class: "meter-bar" });
    bar.style.width = `${(100 * weight) / most}%`;
    return h("tr", {}, h("td", { title: label }, clip(label, 28)), h("td", { class: "meter-cell" }, h("span", { class: "meter" }, bar)),
      h("td", { class: "number" }, grouped(weight)), h("td", { class: "number hint" }, percent(weight / total)));
  }))), rest > 0 ? h("p", { class: "hint" }, `and ${grouped(rest)} more classes`) : null);
}

/** The steps of the search: a line of scores, and a table that says what each step did. */
function searchTrace(search) {
  const { measure, start, steps, gap } = search;
  const digits = scoreDigits([start.score, ...steps.map(([, score]) => score)]);
  const counted = steps.some(([, , considered]) => considered !== null);
  const row = (k, step, score, considered) => h("tr", {}, h("td", { class: "hint" }, k), h("td", {}, step),
    counted ? h("td", { class: "number hint" }, considered === null ? "" : grouped(considered)) : null, h("td", { class: "number" }, scoreText(score, digits)));
  const rows = [row("0", `start with ${start.arcs === 1 ? "1 arc" : `${grouped(start.arcs)} arcs`}`, start.score, null)];
  steps.forEach(([step, score, considered], k) => {
    const missing = gap && k >= gap.after ? gap.steps : 0;
    if (gap && k === gap.after) rows.push(h("tr", {}, h("td", {}, "⋮"), h("td", { class: "hint", colspan: counted ? 3 : 2 }, `${grouped(gap.steps)} steps not kept`)));
    rows.push(row(String(k + 1 + missing), step, score, considered));
  });
  const total = steps.length + (gap ? gap.steps : 0);
  const table = h("table", { class: "plain steps" },
    h("thead", {}, h("tr", {}, h("th", {}, "No."), h("th", {}, "Step"), counted ? h("th", { class: "number" }, "Candidates") : null, h("th", { class: "number" }, "Score"))),
    h("tbody", {}, rows));
  return h("section", { class: "card search" }, h("h2", {}, "Search"),
    h("p", { class: "hint" }, `Score: ${measure}. Larger is better.`),
    steps.length > 1 ? traceFigure(search) : null,
    h("details", { open: steps.length <= 12 }, h("summary", {}, total === 1 ? "1 step" : `${grouped(total)} steps`), table));
}

function traceFigure(search) {
  const chart = traceChart(search);
  return chart ? [chart, figureTools(() => chart, "search")] : null;
}

/** As many digits after the point for all scores of a search: seven in all for the largest. */
function scoreDigits(scores) {
  const known = scores.filter((score) => score !== null);
  const whole = Math.floor(Math.log10(Math.max(1, ...known.map(Math.abs))));
  const digits = known.every(Number.isInteger) ? 0 : Math.max(0, 6 - whole);
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}

function scoreText(score, digits) {
  return score === null ? "–" : score.toLocaleString("en", digits).replace("-", "−");
}

function strongestArcs(model) {
  const arcs = model.members ? model.arcs.filter((arc) => arc.from !== model.target) : model.arcs; // the class is a parent of all, in all
  const strongest = [...arcs].sort((a, b) => b.strength - a.strength).slice(0, 12);
  if (!strongest.length) return null;
  return h("section", { class: "card" }, h("h2", {}, model.members ? "Most common arcs" : "Strongest arcs"),
    h("table", { class: "plain" }, h("tbody", {}, strongest.map((arc) => h("tr", {},
      h("td", {}, `${clip(model.nodes[arc.from].name, 26)} → ${clip(model.nodes[arc.to].name, 26)}`),
      h("td", { class: "number" }, strengthText(model, arc.strength)))))),
    h("p", { class: "hint" }, model.members ? "Arcs between features count in either direction." : "Conditional mutual information of parent and child, given the child’s other parents."));
}

function snippet(title, text) {
  const button = h("button", { type: "button", class: "quiet", onclick: () => copy(text, button) }, "Copy");
  return h("div", { class: "snippet" }, h("div", { class: "card-head" }, h("h3", {}, title), button), h("pre", {}, h("code", {}, text)));
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // Pages opened from a file may not use the clipboard: select the text instead.
    const code = button.closest(".snippet").querySelector("code");
    getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 1500);
}
