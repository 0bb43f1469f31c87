// Data: what was read, column by column, and why; what is wrong can be corrected.

import { grouped, h, percent, s } from "/page/dom.js";
import { ask, attempt, dropPlace } from "./server.js";

const SHOWN = 200; // columns at once: more on demand
let most = SHOWN;

export function dataScreen(studio) {
  const { state, table, tableError } = studio;
  const take = (file) => attempt(async () => {
    await studio.take(await ask("PUT", `/data?name=${encodeURIComponent(file.name)}`, file));
    studio.go("data");
  });
  if (!state.data) return [h("h2", {}, "Data"), dropPlace("Drop a table here: CSV, Excel, Parquet or Arrow. It stays on this machine.", take)];
  const other = h("details", {}, h("summary", {}, "Another table"), dropPlace("Drop another table here. Versions learned from this one stay.", take, true));
  if (!table) return [h("h2", {}, state.data.name), tableError ? h("p", { class: "note alarm" }, tableError) : h("p", {}, "Reading …"), reading(studio), other];
  const columns = table.columns.slice(0, most);
  return [
    h("div", { class: "row" }, h("h2", {}, state.data.name), h("span", { class: "hint" }, `${grouped(table.rows)} rows, ${grouped(table.columns.length)} columns`)),
    table.notes.map((note) => h("p", { class: "note" }, note)),
    advice(studio),
    h("div", { class: "card wide" }, h("table", { id: "columns" },
      h("thead", {}, h("tr", {}, ["column", "read as", "values", "gaps", "examples", "change"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, columns.map((column) => line(studio, column)))),
    table.columns.length > most ? h("button", { class: "more", type: "button", onclick: () => { most += SHOWN; studio.render(); } }, `${table.columns.length - most} more columns`) : null),
    reading(studio), other,
  ];
}

function line(studio, column) {
  const { settings } = studio.state;
  const name = column.column;
  const isClass = column.read_as === "class";
  const choose = h("select", { "aria-label": `Read ${name} as`, onchange: () => change(studio, name, choose.value) },
    h("option", { value: "" }, "as guessed"), studio.table.types.map((type) => h("option", { value: type }, type)), h("option", { value: "leave out" }, "leave out"));
  choose.value = column.chosen;
  const others = isClass ? [] : [h("button", { class: "quiet", type: "button", onclick: () => studio.settings({ target: name, drop: settings.drop.filter((each) => each !== name), types: without(settings.types, name) }) }, "predict this")];
  return h("tr", { class: settings.drop.includes(name) ? "off" : null },
    h("td", {}, h("strong", {}, name)),
    h("td", {}, column.read_as, column.parts.length ? `, ${column.parts.join(", ")}` : null, h("small", {}, [column.why, column.note].filter(Boolean).join("; "))),
    h("td", {}, histogram(column), h("small", {}, column.states)),
    h("td", { class: "number" }, column.gaps || (column.missing ? percent(column.missing) : "")),
    h("td", {}, h("small", {}, column.examples.join(" · "))),
    h("td", {}, h("div", { class: "row" }, isClass ? h("span", { class: "hint" }, "the class") : choose, others)));
}

function without(map, name) {
  return Object.fromEntries(Object.entries(map).filter(([key]) => key !== name));
}

/** Read a column as something else, or leave it out. */
function change(studio, name, value) {
  const { settings } = studio.state;
  const drop = settings.drop.filter((each) => each !== name);
  const types = without(settings.types, name);
  if (value === "leave out") drop.push(name);
  else if (value) types[name] = value;
  studio.settings({ drop, types });
}

function histogram({ column, bars }) {
  const top = Math.max(1, ...bars.map(([, count]) => count));
  const width = 96 / Math.max(bars.length, 1);
  return s("svg", { class: "bars", viewBox: "0 0 96 30", role: "img", "aria-label": `${column}: ${bars.map(([label, count]) => `${label}: ${count}`).join(", ")}` },
    bars.map(([label, count], k) => s("rect", { x: k * width + 0.5, width: Math.max(width - 1, 1), y: 30 - (28 * count) / top, height: (28 * count) / top }, s("title", {}, `${label}: ${count} rows`))));
}

function advice(studio) {
  const { advice: all } = studio.table;
  if (!all.length) return null;
  return h("section", { class: "card", id: "advice" }, h("h2", {}, "Worth a look"), h("ul", { class: "list" },
    all.map(({ column, text }) => h("li", {}, h("span", {}, text), h("button", { class: "quiet", type: "button", onclick: () => change(studio, column, "leave out") }, "leave out")))));
}

/** How a text file or a sheet is read; empty fields mean that it is found out. */
function reading(studio) {
  const { settings } = studio.state;
  const field = (name, label, choices) => {
    const set = () => studio.settings({ [name]: input.value || null });
    const input = choices ? h("select", { onchange: set }, choices.map(([value, text]) => h("option", { value }, text))) : h("input", { type: "text", size: 10, onchange: set });
    input.value = settings[name] ?? "";
    return h("label", { class: "field" }, h("span", {}, label), input);
  };
  return h("details", {}, h("summary", {}, "How the file is read"), h("div", { class: "row" },
    field("delimiter", "delimiter", [["", "found out"], [",", "comma"], [";", "semicolon"], ["tab", "tab"], ["|", "bar"]]),
    field("decimal", "decimal mark", [["", "found out"], ["point", "point"], ["comma", "comma"]]),
    field("encoding", "encoding, such as latin-1"), field("sheet", "sheet of an Excel file")));
}
