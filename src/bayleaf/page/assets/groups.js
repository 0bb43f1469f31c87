// Groups: how good the model is by the values of any feature, with intervals and counts.

import { breakable, clip, fill, grouped, h, intervalText, percent1, scrolled } from "./dom.js";

const Z = 1.959963984540054;

/** The panel: choose a feature, and see the figures of each of its values. */
export function groupPanel(model) {
  const { groups, focus, classes } = model.quality;
  const name = clip(classes[focus], 24);
  const body = h("tbody", { id: "group-lines" });
  const choice = h("select", { id: "group-feature", "aria-label": "Feature", onchange: () => draw() },
    groups.map(({ node }, k) => h("option", { value: k }, clip(model.nodes[node].name, 40))));

  function draw() {
    const { node, states, counts } = groups[Number(choice.value)];
    fill(body, states.map((state, k) => line(state < 0 ? "(missing)" : model.nodes[node].states[state], counts[k])));
  }

  draw();
  return h("section", { class: "card", id: "group-panel" },
    h("header", { class: "card-head" }, h("h2", {}, "Groups"), choice),
    h("p", { class: "hint" }, `Is the model equally good for every group? For each value of a feature: accuracy, and recall and false alarms of ${name}, with Wilson’s 95% intervals.`),
    scrolled("Figures by group", h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, ["group", "rows", "accuracy", "recall", "false alarms"].map((text, k) => h("th", { class: k ? "number" : "" }, text)))), body)));
}

function line(label, [rows, right, positives, hits, negatives, alarms]) {
  const cell = (part, whole) => h("td", { class: "number", "data-share": whole ? part / whole : "" }, whole ? [percent1(part / whole), h("span", { class: "hint interval" }, intervalText(...wilson(part / whole, whole), percent1))] : "–");
  return h("tr", {}, h("th", { scope: "row", title: label }, breakable(clip(label, 24))), h("td", { class: "number" }, grouped(rows)), cell(right, rows), cell(hits, positives), cell(alarms, negatives));
}

/** Wilson's 95% score interval of a share. */
export function wilson(share, rows) {
  const centre = (share + Z ** 2 / (2 * rows)) / (1 + Z ** 2 / rows);
  const half = (Z / (1 + Z ** 2 / rows)) * Math.sqrt((share * (1 - share)) / rows + Z ** 2 / (4 * rows ** 2));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}
