// Groups: how good the model is by the values of any feature, with intervals and counts.

import { breakable, clip, fill, fixed, grouped, h, intervalText, percent1, scrolled } from "./dom.js";

const Z = 1.959963984540054;

/** The panel: choose a feature, and see the figures of each of its values. */
export function groupPanel(model) {
  const { groups, focus, classes } = model.quality;
  const name = clip(classes[focus], 24);
  const body = h("tbody", { id: "group-lines" });
  const choice = h("select", { id: "group-feature", "aria-label": "Feature", onchange: () => draw() },
    groups.map(({ node }, k) => h("option", { value: k }, clip(model.nodes[node].name, 40))));

  function draw() {
    const { node, states, counts, confidence } = groups[Number(choice.value)];
    fill(body, states.map((state, k) => line(stateText(model.nodes[node], state), counts[k], confidence[k])));
  }

  draw();
  return h("section", { class: "card", id: "group-panel" },
    h("header", { class: "card-head" }, h("h2", {}, "Groups"), choice),
    h("p", { class: "hint" }, `Is the model equally good for every group? For each value of a feature: accuracy beside the mean confidence (a calibrated model is right about as often as it says), and recall and false alarms of ${name}, with Wilson’s 95% intervals.`),
    scrolled("Figures by group", h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, ["group", "rows", "accuracy", "confidence", "recall", "false alarms"].map((text, k) => h("th", { class: `${k ? "number" : ""}${text === "confidence" ? " wide-only" : ""}` }, text)))), body)));
}

export const stateText = (node, state) => (state < 0 ? "(missing)" : node.states[state]);

/** Groups by one or two features that are worse than chance would explain: found by the page, not by hunting. */
export function weakPanel({ nodes, quality }) {
  const { groups, looked_at: looked, loss } = quality.weak;
  const words = (states) => states.map(([node, state]) => `${clip(nodes[node].name, 30)}${nodes[node].cuts && state >= 0 ? "" : " ="} ${clip(stateText(nodes[node], state), 24)}`).join(" and ");
  const how = `Of ${grouped(looked)} groups by one or two features, those whose mean Brier loss is larger than that of all rows (${fixed(loss, 3)}) beyond chance. p is corrected for all of them.`;
  return h("section", { class: "card", id: "weak-groups" }, h("h2", {}, "Where it fails"),
    groups.length ? [h("p", { class: "hint" }, how), scrolled("Groups that fare worst", h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, ["group", "rows", "accuracy", "Brier", "p"].map((text, k) => h("th", { class: k ? "number" : "" }, text)))),
      h("tbody", {}, groups.map(({ states, rows, right, loss: own, p }) => h("tr", { "data-loss": own, "data-states": JSON.stringify(states) },
        h("th", { scope: "row" }, words(states)), h("td", { class: "number" }, grouped(rows)),
        h("td", { class: "number" }, percent1(right / rows), h("span", { class: "hint interval" }, intervalText(...wilson(right / rows, rows), percent1))),
        h("td", { class: "number" }, fixed(own, 3)), h("td", { class: "number" }, p < 0.01 ? "<0.01" : fixed(p, 2)))))))]
      : h("p", { class: "hint" }, `No group stands out: ${grouped(looked)} groups by one or two features were looked at, and the worst is no worse than chance alone makes the worst of so many.`));
}

function line(label, [rows, right, positives, hits, negatives, alarms], confidence) {
  const cell = (part, whole) => h("td", { class: "number", "data-share": whole ? part / whole : "" }, whole ? [percent1(part / whole), h("span", { class: "hint interval" }, intervalText(...wilson(part / whole, whole), percent1))] : "–");
  return h("tr", {}, h("th", { scope: "row", title: label }, breakable(clip(label, 24))), h("td", { class: "number" }, grouped(rows)), cell(right, rows), sure(right, rows, confidence), cell(hits, positives), cell(alarms, negatives));
}

/** The mean confidence of a group, with a caution where its accuracy is another, more than chance would have it. */
function sure(right, rows, confidence) {
  const [low, high] = wilson(right / rows, rows), off = confidence > high ? "too sure" : confidence < low ? "too unsure" : null;
  return h("td", { class: "number wide-only", "data-confidence": confidence }, percent1(confidence), off ? h("span", { class: "caution interval" }, off) : null);
}

/** Wilson's 95% score interval of a share. */
export function wilson(share, rows) {
  const centre = (share + Z ** 2 / (2 * rows)) / (1 + Z ** 2 / rows);
  const half = (Z / (1 + Z ** 2 / rows)) * Math.sqrt((share * (1 - share)) / rows + Z ** 2 / (4 * rows ** 2));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}
