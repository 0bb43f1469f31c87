// Whether the rows of the page still look like the training rows.

import { breakable, clip, fixed, h, scrolled } from "./dom.js";

/** The card, or null where the rows were not compared. */
export function driftCard({ drift }) {
  if (!drift) return null;
  const shown = drift.lines, hidden = drift.compared - shown.length;
  return h("section", { class: "card full", id: "drift", "data-alarm": String(drift.alarm) },
    h("h2", {}, "These rows and the training rows"),
    h("p", drift.alarm ? { class: "note alarm", role: "alert" } : { class: "note" }, drift.verdict),
    h("p", { class: "hint" }, `Each line is a comparison with the training rows; p is corrected for their number by Holm’s method, and an alarm is at most ${fixed(drift.level, 2)}.`),
    shown.length > 0 ? scrolled("Comparisons with the training rows", table(shown)) : null,
    hidden ? h("p", { class: "hint" }, `${hidden} more without an alarm.`) : null,
    drift.notes.map((note) => h("p", { class: "hint" }, note)));
}

function table(lines) {
  const heading = ["compared", "name", "training", "these rows"].map((name) => h("th", {}, name));
  const row = (line) => h("tr", { class: line.alarm ? "changed" : "" },
    h("td", {}, line.kind), h("th", { scope: "row", title: line.name }, breakable(clip(line.name, 60)),
      line.follows ? h("span", { class: "hint interval" }, `follows from ${clip(line.follows, 40)}`) : null),
    h("td", {}, breakable(clip(line.before, 80))), h("td", {}, breakable(clip(line.now, 80))),
    h("td", { class: "number" }, pText(line.corrected), line.alarm ? h("span", { class: "hint interval" }, "changed") : null));
  return h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, heading, h("th", { class: "number" }, "p, corrected"))),
    h("tbody", {}, lines.map(row)));
}

function pText(p) {
  return p < 0.00005 ? "<0.0001" : fixed(p, 4);
}
