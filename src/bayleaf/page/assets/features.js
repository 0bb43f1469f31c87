// Features: what each tells about the class, alone and given all others, and the effect of each of its values.

import { breakable, clip, fill, fixed, grouped, h, percent, signed } from "./dom.js";
import { normalised } from "./junction.js";
import { naturalOrder, trainingRows } from "./model.js";
import { inSlices } from "./slices.js";

const MOST_LINES = 60;

/** Mount the view; effects are worked out when it is first visible. Returns a function that does so. */
export function mountFeatures(store, view, isVisible) {
  const { model } = store;
  const target = model.nodes[model.target];
  const features = model.nodes.filter((node) => node.index !== model.target && node.information !== null && node.arity > 1)
    .sort((a, b) => b.information - a.information);
  const list = h("div", { class: "importance" });
  const choice = h("select", { "aria-label": "Effects on class", onchange: () => draw() }, naturalOrder(target.states).map((k) => h("option", { value: k }, clip(target.states[k], 40))));
  choice.value = String(Math.min(1, target.arity - 1));
  let effects = null, started = false;
  fill(view,
    h("p", { class: "lead" }, "Alone: the information that a feature by itself has about the class, in bits. Given the others: what it adds when all others are known; small if they are redundant. ",
      h("span", { class: "on-screen" }, "Open a feature to see what each of its values does to the log-odds of a class when nothing else is known.")),
    h("section", { class: "card" },
      h("header", { class: "card-head" }, h("h2", {}, "What features tell"), h("label", { class: "check" }, "effects on ", choice)), list));

  function draw() {
    const most = Math.max(1e-9, ...features.map((node) => Math.max(node.information, node.added ?? 0)));
    const open = new Set([...list.querySelectorAll("details[open]")].map((each) => each.dataset.node));
    fill(list, legend(features), features.slice(0, MOST_LINES).map((node) => line(node, most, open.has(String(node.index)))),
      features.length > MOST_LINES ? h("p", { class: "hint" }, `and ${grouped(features.length - MOST_LINES)} more features that tell less`) : null);
  }

  function line(node, most, open) {
    const element = h("details", { "data-node": node.index, open },
      h("summary", { "data-information": node.information, "data-added": node.added },
        h("span", { class: "what", title: [node.name, node.description].filter(Boolean).join("\n") }, h("b", {}, breakable(clip(node.name, 40)))),
        h("span", { class: "twin" }, bar(node.information / most, "alone"), node.added === null || node.added === undefined ? null : bar(node.added / most, "added")),
        h("span", { class: "number" }, `${fixed(node.information, 3)}${node.added === null || node.added === undefined ? "" : ` / ${fixed(node.added, 3)}`}`)),
      stateTable(node));
    return element;
  }

  function stateTable(node) {
    const effect = effects?.get(node.index);
    if (!effect) return h("p", { class: "hint" }, store.canInfer ? "…" : "Effects need exact inference, for which this network is too dense.");
    const k = Number(choice.value);
    const values = effect.map(({ change }) => change[k]).filter(Number.isFinite);
    const largest = Math.max(1e-9, ...values.map(Math.abs));
    const rows = trainingRows(store.model);
    return h("table", { class: "plain effects" },
      h("thead", {}, h("tr", {}, h("th", {}, "value"), h("th", { class: "number" }, rows ? "rows, about" : "share"), h("th", { colspan: 2 }, "log-odds against the mean"))),
      h("tbody", {}, effect.map(({ state, share, change }) => h("tr", { "data-effect": `${node.index}.${state}`, "data-value": change[k], "data-share": share },
        h("td", {}, clip(node.states[state], 40)),
        h("td", { class: "number" }, rows ? grouped(share * rows) : percent(share)),
        h("td", { class: "effect-cell" }, push(change[k] / largest)),
        h("td", { class: "number" }, signed(change[k]))))));
  }

  function start() {
    if (!isVisible() || started) return;
    started = true;
    if (store.estimate && model.asked) {
      const rows = store.spareTree();
      rows.setAll(new Int32Array(model.nodes.length).fill(-1));
      rank((node) => informationOf(estimatedLines(rows.joint(node.index, model.target))));
    }
    draw();
    if (!store.canInfer) return;
    inSlices(stateEffects(store, features), () => true, (found) => {
      effects = found;
      if (model.asked) rank((node) => informationOf(found.get(node.index)));
      draw();
    });
  }

  /** What nodes tell about a node that was made the class is worked out here. */
  function rank(information) {
    for (const node of features) node.information = information(node);
    features.sort((a, b) => b.information - a.information);
  }
  return start;
}

/** By node: [{ state, share, change }], the change of the log-odds of each class when this value alone is known. */
function* stateEffects(store, features) {
  const { model } = store;
  const tree = store.spareTree();
  const logit = (p) => Math.log(p / (1 - p));
  const none = new Int32Array(model.nodes.length).fill(-1);
  tree.setAll(none);
  const mean = normalised(tree.logJoint(model.target)).map(logit);
  const found = new Map();
  for (const node of features) {
    const lines = [];
    for (let state = 0; state < node.arity; state++) {
      tree.setAll(none);
      tree.set(node.index, state);
      const p = normalised(tree.logJoint(model.target));
      lines.push({ state, share: store.prior[node.index][state], p: p ?? mean.map(() => 0), change: p ? p.map((value, c) => logit(value) - mean[c]) : mean.map(() => NaN) });
    }
    found.set(node.index, lines);
    yield;
  }
  return found;
}

/** From P(value, class): how frequent each value is, and the classes given it. */
function estimatedLines(joint) {
  return joint.map((row) => {
    const share = row.reduce((a, b) => a + b, 0);
    return { share, p: row.map((value) => (share > 0 ? value / share : 0)) };
  });
}

/** I(class; feature) in bits, from the class probabilities given each value. */
function informationOf(lines) {
  const classes = lines[0].p.map((_, c) => lines.reduce((sum, { share, p }) => sum + share * p[c], 0));
  return lines.reduce((sum, { share, p }) => sum + share * p.reduce((total, value, c) => total + (value > 0 ? value * Math.log2(value / classes[c]) : 0), 0), 0);
}

function legend(features) {
  const both = features.some((node) => node.added !== null && node.added !== undefined);
  return h("p", { class: "hint twin-legend" }, h("span", {}, h("i", { class: "key alone" }), "alone"), both ? h("span", {}, h("i", { class: "key added" }), "given the others") : null, h("span", {}, "in bits"));
}

function bar(share, kind) {
  const element = h("span", { class: `twin-bar ${kind}` });
  element.style.width = `${100 * Math.max(0, share)}%`;
  return element;
}

function push(share) {
  const element = h("span", { class: share >= 0 ? "push for" : "push against" });
  const size = 50 * Math.min(1, Math.abs(share) || 0);
  element.style.left = `${share >= 0 ? 50 : 50 - size}%`;
  element.style.width = `${size}%`;
  const zero = h("span", { class: "zero" });
  zero.style.left = "50%";
  return h("span", { class: "track" }, zero, element);
}
