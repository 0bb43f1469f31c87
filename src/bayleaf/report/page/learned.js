// How learned: everything needed to judge and to repeat the making of the model.

import { traceChart } from "./charts.js";
import { clip, fill, grouped, h, percent } from "./dom.js";

export function mountLearned(model, view) {
  const { learned } = model;
  fill(view, h("div", { class: "columns" },
    learned.warnings.length ? h("section", { class: "card warnings" }, h("h2", {}, "Please note"), h("ul", {}, learned.warnings.map((text) => h("li", {}, text)))) : null,
    learned.references.length || learned.method ? method(learned) : null,
    facts("Data", learned.data),
    learned.classes.length ? classTable(learned.classes) : null,
    facts("Size and score", learned.scores),
    learned.settings.length ? facts("Settings", learned.settings, true) : null,
    learned.trace.length ? h("section", { class: "card wide" }, h("h2", {}, "Search"), traceChart(learned.trace)) : null,
    strongestArcs(model),
    h("section", { class: "card wide" }, h("h2", {}, "Make it again"), learned.command ? snippet("Command line", learned.command) : null, snippet("Python", learned.python)),
    facts("Versions", [...learned.versions, ["Page written", learned.written]])));
}

function facts(title, rows, code = false) {
  return h("section", { class: "card" }, h("h2", {}, title),
    h("dl", { class: "facts" }, rows.map(([term, text]) => [h("dt", {}, term), h("dd", {}, code ? h("code", {}, text) : text)])));
}

function method(learned) {
  return h("section", { class: "card" }, h("h2", {}, "Method"),
    learned.method ? h("p", {}, "Registered as ", h("strong", {}, learned.method), ".") : null,
    learned.references.map(([what, text]) => [h("h3", {}, what), h("p", { class: "reference-text" }, text)]));
}

function classTable(classes) {
  const total = classes.reduce((sum, [, weight]) => sum + weight, 0);
  const most = Math.max(...classes.map(([, weight]) => weight));
  return h("section", { class: "card" }, h("h2", {}, "Classes in training"), h("table", { class: "plain" }, h("tbody", {}, classes.slice(0, 60).map(([label, weight]) => {
    const bar = h("span", { class: "meter-bar" });
    bar.style.width = `${(100 * weight) / most}%`;
    return h("tr", {}, h("td", { title: label }, clip(label, 28)), h("td", { class: "meter-cell" }, h("span", { class: "meter" }, bar)),
      h("td", { class: "number" }, grouped(weight)), h("td", { class: "number hint" }, percent(weight / total)));
  }))));
}

function strongestArcs(model) {
  const strongest = [...model.arcs].sort((a, b) => b.strength - a.strength).slice(0, 12);
  if (!strongest.length) return null;
  return h("section", { class: "card" }, h("h2", {}, "Strongest arcs"),
    h("table", { class: "plain" }, h("tbody", {}, strongest.map((arc) => h("tr", {},
      h("td", {}, `${clip(model.nodes[arc.from].name, 26)} → ${clip(model.nodes[arc.to].name, 26)}`),
      h("td", { class: "number" }, `${arc.strength.toFixed(3)} bits`))))),
    h("p", { class: "hint" }, "Conditional mutual information of parent and child, given the child’s other parents."));
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
