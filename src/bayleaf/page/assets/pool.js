// A pool: what each feature says on the whole, and the reasons of the rows that came with the page.

import { caseTable } from "./case_table.js";
import { byId, clip, fill, fixed, grouped, h, percent } from "./dom.js";
import { csvText, download } from "./takeaway.js";
import { evidenceBars } from "./why.js";

const MOST_BARS = 60;
const MOST_SHOWN = 12; // classes with their probability

/** Mount both views. Returns a function that lists some of the rows: { text, rows }. */
export function mountPool(model, features, why) {
  const aside = byId("decision");
  aside.hidden = true; // nothing can be set on this page
  aside.parentElement.classList.add("alone");
  mountFeatures(model, features);
  model.examples = examplesOf(model); // for the matrix and the curves, whose numbers lead to rows
  for (const event of ["dragover", "drop"]) document.addEventListener(event, (dropped) => {
    dropped.preventDefault(); // else the file would take the place of the page
    if (event === "dragover") return;
    byId("predictions").hidden = false;
    fill(byId("predictions"), h("p", { class: "note", role: "alert" }, "A pool has too many numbers to predict a file in a browser: use bayleaf predict."));
  });
  return mountRows(model, why);
}

/** The rows as quality needs them, by numbers of the classes; null without rows whose class is known. */
function examplesOf({ pool, nodes, target, quality }) {
  const { rows } = pool, labels = nodes[target].values ?? nodes[target].states;
  if (!quality || !rows.length || rows.some(({ truth }) => truth === null)) return null;
  const classes = rows.map(({ truth }) => quality.classes.indexOf(truth)), predicted = rows.map(({ first }) => quality.classes.indexOf(labels[first]));
  return { rows: rows.map(({ row }) => row), total: quality.rows, classes, predicted, right: classes.map((each, k) => Number(each === predicted[k])),
    confidence: rows.map(({ probabilities }) => Math.max(...probabilities)), p: labels.length === quality.classes.length ? rows.map(({ probabilities }) => probabilities) : undefined };
}

function mountFeatures(model, view) {
  fill(view,
    h("p", { class: "lead" }, "Many networks are added up in one score: a number for each value, for some sets of values, and quadratic forms of the numbers. What all of it says about a row can be divided among the features exactly."),
    evidenceCard(model));
}

/** How large the evidence of each feature is, the largest first. */
function evidenceCard({ nodes, pool }) {
  const order = pool.evidence.map((size, k) => ({ size, name: nodes[k].name })).sort((a, b) => b.size - a.size);
  const largest = Math.max(...pool.evidence, 1e-9);
  const rest = order.length - MOST_BARS;
  return h("section", { class: "card", id: "feature-evidence" }, h("h2", {}, "Weight of the features"),
    h("p", { class: "hint" }, "How far a feature pushes the log-odds of the predicted class against the next, in either direction; the mean over training rows."),
    h("table", { class: "plain" }, h("tbody", {}, order.slice(0, MOST_BARS).map(({ name, size }) => {
      const bar = h("span", { class: "meter-bar" });
      bar.style.width = `${(100 * size) / largest}%`;
      return h("tr", { "data-size": size }, h("td", { title: name }, clip(name, 32)), h("td", { class: "meter-cell" }, h("span", { class: "meter" }, bar)), h("td", { class: "number" }, fixed(size, 2)));
    }))), rest > 0 ? h("p", { class: "hint" }, `and ${grouped(rest)} features that say less`) : null);
}

/** Reasons of one of the rows. */
function mountRows(model, view) {
  const { rows } = model.pool;
  if (!rows.length) {
    fill(view, h("section", { class: "card" }, h("h2", {}, "No rows"), h("p", {}, "This page was written without rows. Pass some to see why each gets its class:"),
      h("pre", {}, h("code", {}, "bayleaf report model.bayleaf.json --data test.csv -o report.html"))));
    return () => {};
  }
  const target = model.nodes[model.target];
  const chances = h("div", { id: "chances" }), bars = h("div", { class: "bars", id: "evidence-bars" });
  const choice = h("select", { "aria-label": "Row", id: "row", onchange: () => show(rows[Number(choice.value)]) },
    rows.map((row, k) => h("option", { value: k }, `row ${row.row}: ${clip(target.states[row.first], 40)}${row.truth === null ? "" : row.truth === target.states[row.first] ? " ✓" : ` ✗ (${clip(row.truth, 40)})`}`)));

  function show(row) {
    const order = row.probabilities.map((p, k) => [p, k]).sort((a, b) => b[0] - a[0]);
    const rest = order.length - MOST_SHOWN;
    fill(chances, h("p", {}, `Row ${row.row}: `, order.slice(0, MOST_SHOWN).map(([p, k]) => `${clip(target.states[k], 40)} ${percent(p)}`).join(" · "), rest > 0 ? ` · and ${grouped(rest)} more classes` : ""),
      row.truth === null ? null : h("p", { class: "hint" }, `The data says ${clip(row.truth, 80)}.`));
    const terms = row.terms.map(([index, state, weight, number]) => ({ index, state, weight, number }));
    const set = { model, evidence: new Int32Array(model.nodes.length).fill(-1), numbers: new Float64Array(model.nodes.length).fill(NaN) };
    for (const { index, state, number } of terms) {
      set.evidence[index] = state;
      set.numbers[index] = number ?? NaN;
    }
    fill(bars, evidenceBars(set, { prior: row.prior, terms, total: row.total }, row.first, row.second));
  }

  const list = h("div", {});
  let table = null;
  const decide = () => {
    const { rule } = model, labels = target.values ?? target.states;
    const words = ({ terms, row, truth }) => [row, truth, ...terms.map(([index, state, , number]) => number ?? model.nodes[index].states[state])].join(" ");
    const cases = rows.map((row, index) => ({ number: row.row, index, text: words(row), p: row.probabilities, truth: row.truth, state: labels.indexOf(row.truth), decided: rule.chosen ? rule.decide(row.probabilities) : row.first }));
    table = caseTable(target.states, cases, ({ index }) => {
      choice.value = String(index);
      show(rows[index]);
      choice.focus();
    });
    const text = () => csvText([["row", "true class", "predicted", ...target.states.map((state) => `P(${state})`)], ...cases.map(({ number, truth, decided, p }) => [number, truth ?? "", target.states[decided], ...p])]);
    fill(list, h("header", { class: "card-head" }, h("h2", {}, "Rows"), h("button", { type: "button", class: "quiet", id: "save-rows", onclick: () => download("rows.csv", text(), "text/csv") }, "Save as CSV")), table.element);
  };
  decide();
  model.rule.subscribe(decide);
  fill(view,
    h("p", { class: "lead" }, "Each value pushes the odds of the predicted class against the most probable of the others. The pushes are added up in logarithms, and their sum is exactly the log-odds of the probabilities. What several values say together is divided equally among them."),
    h("section", { class: "card" }, h("header", { class: "card-head" }, h("h2", {}, "Weight of evidence"), h("div", { class: "tools" }, choice)), chances, bars),
    h("section", { class: "card", id: "pool-rows" }, list));
  show(rows[0]);
  return ({ text, rows: wanted }) => table.show({ text, holds: ({ index }) => wanted.includes(index) });
}
