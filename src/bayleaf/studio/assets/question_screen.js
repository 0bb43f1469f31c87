// Question: what is predicted, what a mistake costs, and which rows are held out to measure it.

import { grouped, h, percent, s } from "/page/dom.js";

const MOST_COSTS = 6; // classes whose costs can be typed

export function questionScreen(studio) {
  const { state, table } = studio;
  if (!state.data || !table) return [h("h2", {}, "Question"), h("p", { class: "lead" }, "Drop a table under Data first.")];
  if (!state.settings.target) return [h("h2", {}, "Question"), h("p", { class: "lead" }, "Choose above which column is to be predicted.")];
  const { classes } = table;
  if (!classes) return [h("h2", {}, "Question"), h("p", { class: "note alarm" }, `The table has no column '${state.settings.target}'.`)];
  return [h("h2", {}, `Predict ${state.settings.target}`),
    classes.problem ? h("p", { class: "note alarm" }, classes.problem) : null,
    counts(classes), costs(studio, classes), gaps(studio), split(studio)];
}

function counts({ counts: all, absent }) {
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const top = Math.max(1, ...all.map(([, count]) => count));
  return h("section", { class: "card" }, h("h2", {}, "Classes"),
    h("div", { class: "counts", id: "classes" }, all.slice(0, 30).map(([label, count]) => [h("span", {}, label),
      s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { width: (100 * count) / top, height: 10 })),
      h("span", { class: "number" }, `${grouped(count)} (${percent(count / total)})`)])),
    all.length > 30 ? h("p", { class: "hint" }, `and ${all.length - 30} more`) : null,
    absent ? h("p", { class: "hint" }, `${grouped(absent)} rows without a class are left out.`) : null);
}

/** What a decision costs, by the true class; empty means that all mistakes cost the same. */
function costs(studio, { counts: all }) {
  const labels = all.map(([label]) => label);
  if (labels.length > MOST_COSTS) return null;
  const loss = studio.state.settings.loss ?? {};
  const cell = (truth, chosen) => {
    if (truth === chosen) return h("td", { class: "number" }, "0");
    const input = h("input", { type: "text", inputmode: "decimal", class: "cost", placeholder: "1", "aria-label": `Cost of ${chosen} where it is ${truth}`, onchange: set });
    input.value = loss[truth]?.[chosen] ?? "";
    input.dataset.truth = truth;
    input.dataset.chosen = chosen;
    return h("td", {}, input);
  };
  const card = h("section", { class: "card wide" }, h("h2", {}, "What a mistake costs"),
    h("p", { class: "hint" }, "Empty fields cost 1. Costs change decisions, never probabilities."),
    h("table", { id: "costs" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "true class"), labels.map((label) => h("th", { scope: "col" }, `decided ${label}`)))),
      h("tbody", {}, labels.map((truth) => h("tr", {}, h("th", { scope: "row" }, truth), labels.map((chosen) => cell(truth, chosen)))))));
  function set() {
    const wanted = {};
    for (const input of card.querySelectorAll("input")) {
      const cost = Number(input.value.trim().replace(",", "."));
      if (input.value.trim() && Number.isFinite(cost)) (wanted[input.dataset.truth] ??= {})[input.dataset.chosen] = cost;
    }
    studio.settings({ loss: Object.keys(wanted).length ? wanted : null });
  }
  return card;
}

function gaps(studio) {
  const ways = [["auto", "a state of their own where they tell something"], ["state", "always a state of their own"], ["available", "summed out"], ["drop", "leave their rows out"], ["impute", "mean and most frequent value instead"]];
  const select = h("select", { onchange: () => studio.settings({ missing: select.value }) }, ways.map(([value, text]) => h("option", { value }, text)));
  select.value = studio.state.settings.missing;
  return h("section", { class: "card" }, h("label", { class: "field" }, h("h2", {}, "Missing values"), select));
}

function split(studio) {
  const { settings } = studio.state;
  const names = studio.table.columns.map((column) => column.column).filter((name) => name !== settings.target);
  const column = h("select", { "aria-label": "Column of the split", onchange: () => studio.settings({ split_column: column.value || null }) }, names.map((name) => h("option", { value: name }, name)));
  column.value = settings.split_column ?? names[0];
  const choices = [["chance", "by chance: five folds with the same shares of classes"],
    ["time", "by time: each of five folds is predicted from the rows before it"], ["group", "by group: all rows of a person or a place in the same fold; the column is no feature then"]];
  return h("section", { class: "card" }, h("h2", {}, "Rows held out to measure"),
    h("div", { role: "radiogroup", "aria-label": "Rows held out" }, choices.map(([value, text]) => h("label", { class: "row" },
      h("input", { type: "radio", name: "split", value, checked: settings.split === value, onchange: () => studio.settings({ split: value, split_column: value === "chance" ? null : settings.split_column ?? names[0] }) }), text))),
    settings.split === "chance" ? null : h("label", { class: "field" }, h("span", {}, settings.split === "time" ? "column that tells the time" : "column that tells the group"), column),
    h("p", { class: "hint" }, "Of more than 20,000 rows, one fold is measured. The model you use is learned from all rows; its figures come from models that had not seen the rows they were measured on."));
}
