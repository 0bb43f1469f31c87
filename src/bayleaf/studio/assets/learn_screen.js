// Learn: four methods on the same held-out rows, whether their differences may be chance, and all versions.

import { grouped, h } from "/page/dom.js";

export function learnScreen(studio) {
  const { state, version } = studio;
  const head = h("h2", {}, "Learn");
  if (!version) {
    return [head, h("p", { class: "lead" }, state.settings.target ? "Press Learn: one network, a pool of networks, and two simple methods to compare with, all measured on the same held-out rows."
      : "Choose above which column is to be predicted, then press Learn.")];
  }
  return [head, versions(studio), result(studio, version)];
}

function versions(studio) {
  const { state, version } = studio;
  return h("section", { class: "card wide" }, h("h2", {}, "Versions"), h("table", { id: "versions" },
    h("thead", {}, h("tr", {}, ["page", "name", "target", "wishes", "log-loss: network", "pool", "looked at"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, state.versions.toReversed().map((each) => {
      const name = h("input", { type: "text", size: 16, "aria-label": `Name of version ${each.number}`, onchange: () => studio.change("PUT", `/versions/${each.number}`, { name: name.value }) });
      name.value = each.name;
      const shown = each.number === version.number;
      return h("tr", { class: shown ? "best" : null },
        h("td", {}, h("button", { class: "quiet", type: "button", "aria-pressed": String(shown), onclick: () => studio.choose(each.number) }, shown ? "shown" : "show")),
        h("td", {}, name), h("td", {}, each.settings.target ?? ""), h("td", { class: "number" }, String(each.wishes.length)),
        ["network", "pool"].map((model) => h("td", { class: "number" }, figure(each.result.methods[model], "Log-loss"))),
        h("td", { class: "number" }, `${each.looked}×`));
    }))));
}

function figure(method, name) {
  const found = method?.measures.find((each) => each.name === name);
  return found ? number(found.value) : "–";
}

function number(value) {
  return value.toFixed(3);
}

function result(studio, version) {
  const { result: found } = version;
  const learning = studio.state.running?.number === version.number;
  const methods = Object.values(found.methods);
  const names = methods[0]?.measures.map((each) => each.name).filter((name) => methods.every((method) => method.measures.some((each) => each.name === name))) ?? [];
  const lowest = Math.min(...methods.map((method) => method.measures.find((each) => each.name === "Log-loss")?.value ?? Infinity));
  const resume = !learning && !found.done && !found.opened ? h("div", { class: "note", id: "unfinished" }, h("p", {}, found.error ?? "This version was stopped before it was done. What was finished is kept."),
    h("button", { class: "plain", id: "continue", type: "button", onclick: () => studio.change("POST", "/learn", { version: version.number }) }, "Go on")) : null;
  return h("section", { class: "card wide" }, h("h2", {}, `${version.name}: ${version.settings.target ?? found.opened ?? ""}`), resume,
    methods.length ? h("table", { id: "methods" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "method"), names.map((name) => h("th", { scope: "col", class: "number" }, name)))),
      h("tbody", {}, methods.map((method) => h("tr", { class: method.measures.find((each) => each.name === "Log-loss")?.value === lowest ? "best" : null },
        h("th", { scope: "row" }, method.title), names.map((name) => {
          const each = method.measures.find((measure) => measure.name === name);
          return h("td", { class: "number" }, number(each.value), each.low === undefined || each.low === null ? null : h("small", {}, `${number(each.low)} to ${number(each.high)}`));
        }))))) : null,
    methods.length ? h("p", { class: "hint" }, `Measured on ${grouped(found.rows)} held-out rows of ${grouped(found.all_rows)}, ${found.folds === 1 ? "one split" : `${found.folds} folds`}, the same for all methods. Below each figure: its 95 % interval.`) : null,
    found.sentence ? h("p", { id: "sentence" }, found.sentence) : null,
    found.against ? against(found.against) : null,
    learning ? h("p", { class: "hint" }, "Learning: methods appear here as they are measured.") : null,
    Object.values(found.methods).flatMap((method) => method.notes ?? []).map((note) => h("p", { class: "hint" }, note)));
}

/** What became of the network of the version before: arcs gained and lost, and what that costs. */
export function against({ gained, lost, sentence }) {
  const arcs = (list) => list.map(([parent, child]) => `${parent} → ${child}`).join(", ");
  return h("div", { id: "against" }, h("p", {}, sentence),
    gained.length ? h("p", {}, h("strong", {}, "Arcs gained: "), arcs(gained)) : null, lost.length ? h("p", {}, h("strong", {}, "Arcs lost: "), arcs(lost)) : null,
    gained.length || lost.length ? null : h("p", {}, "The same arcs."));
}
