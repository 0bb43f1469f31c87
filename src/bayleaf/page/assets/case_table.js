// Cases in a table: sorted by any column, filtered by class, searched, 25 at a time. A case that is opened becomes the evidence.

import { clip, fill, grouped, h, percent, scrolled } from "./dom.js";

const PAGE = 25;
const MOST_CLASSES = 6; // with a column of their own

/**
 * The table of some cases: { number, text, truth, state, decided, p } each, `text` being all that is searched, `truth` the
 * class as it is written (null where unknown) and `state` its number. Returns { element, show(filter) }.
 */
export function caseTable(labels, cases, open) {
  const labelled = cases.some(({ truth }) => truth !== null);
  const classes = labels.length <= MOST_CLASSES ? labels.map((label, k) => ({ label: `P(${clip(label, 16)})`, value: ({ p }) => p[k], cell: ({ p }) => percent(p[k]), down: true })) : [];
  const columns = [
    { label: "row", value: ({ number }) => number, cell: (each) => h("button", { type: "button", class: "link", "aria-label": `Open row ${each.number}`, onclick: () => open(each) }, grouped(each.number)) },
    labelled ? { label: "true class", value: ({ truth }) => truth ?? "", cell: ({ truth }) => clip(truth ?? "–", 24), text: true } : null,
    { label: "predicted", value: ({ decided }) => labels[decided], cell: (each) => [clip(labels[each.decided], 24), each.truth === null ? null : isRight(each) ? " ✓" : " ✗"], text: true },
    { label: "probability", value: ({ p, decided }) => p[decided], cell: ({ p, decided }) => percent(p[decided]), down: true },
    ...classes,
  ].filter(Boolean);
  const state = { column: 0, down: false, from: 0, wanted: "", filter: filters(labels, labelled)[0] };
  const search = h("input", { type: "search", "aria-label": "Find rows", placeholder: "Find a value", oninput: () => draw({ wanted: search.value.trim().toLowerCase() }) });
  const choices = filters(labels, labelled);
  const choice = h("select", { id: "case-filter", "aria-label": "Which rows", onchange: () => draw({ filter: choices[Number(choice.value)] }) }, choices.map(({ text }, k) => h("option", { value: k }, text)));
  const count = h("p", { class: "hint", role: "status" });
  const head = h("thead"), body = h("tbody", { id: "cases" });
  const before = h("button", { type: "button", class: "quiet", onclick: () => draw({ from: state.from - PAGE }) }, "Previous");
  const next = h("button", { type: "button", class: "quiet", id: "next-cases", onclick: () => draw({ from: state.from + PAGE }) }, "Next");

  function draw(change = {}) {
    Object.assign(state, { from: 0 }, change);
    const { value } = columns[state.column], sign = state.down ? -1 : 1;
    const order = (a, b) => (typeof value(a) === "number" ? value(a) - value(b) : String(value(a)).localeCompare(String(value(b)), undefined, { numeric: true }));
    const found = cases.filter((each) => state.filter.holds(each) && (!state.wanted || each.text.toLowerCase().includes(state.wanted)))
      .sort((a, b) => sign * order(a, b) || a.number - b.number);
    const shown = found.slice(state.from, state.from + PAGE);
    fill(head, h("tr", {}, columns.map((column, k) => h("th", { scope: "col", class: column.text || k === 0 ? "" : "number", "aria-sort": k === state.column ? (state.down ? "descending" : "ascending") : "none" },
      h("button", { type: "button", class: "link", onclick: () => draw({ column: k, down: k === state.column ? !state.down : Boolean(column.down) }) }, column.label, k === state.column ? (state.down ? " ↓" : " ↑") : "")))));
    fill(body, shown.map((each) => h("tr", { "data-case": each.number, "data-predicted": JSON.stringify(Array.from(each.p)), class: "case-row", onclick: (event) => { if (event.target.localName !== "button") open(each); } },
      columns.map((column, k) => h("td", { class: column.text || k === 0 ? "" : "number" }, column.cell(each))))));
    fill(count, found.length ? `${grouped(state.from + 1)} to ${grouped(state.from + shown.length)} of ${grouped(found.length)} rows${found.length < cases.length ? ` (of ${grouped(cases.length)} in the file)` : ""}. Open a row to see why.` : "No such row.");
    before.disabled = state.from === 0;
    next.disabled = state.from + PAGE >= found.length;
  }

  draw();
  return {
    element: h("div", { class: "cases" }, h("div", { class: "tools" }, search, choice), scrolled("Cases", h("table", { class: "plain" }, head, body)), h("div", { class: "tools" }, count, before, next)),
    /** Show what a number elsewhere stands for: { text, holds(case) }. */
    show(filter) {
      const known = choices.findIndex(({ text }) => text === filter.text);
      if (known < 0) {
        choices.push(filter);
        choice.append(h("option", { value: choices.length - 1 }, filter.text));
      }
      choice.value = String(known < 0 ? choices.length - 1 : known);
      draw({ filter });
    },
  };
}

export const isRight = ({ state, decided }) => state === decided;

function filters(labels, labelled) {
  const of = (text, holds) => ({ text, holds });
  return [of("all rows", () => true), ...(labelled ? [of("only misclassified", (each) => each.truth !== null && !isRight(each))] : []),
    ...labels.map((label, k) => of(`predicted ${clip(label, 30)}`, ({ decided }) => decided === k)),
    ...(labelled ? labels.map((label, k) => of(`true class ${clip(label, 30)}`, ({ state }) => state === k)) : [])];
}
