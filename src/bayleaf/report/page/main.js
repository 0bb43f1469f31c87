// The page: read the model, mount the views, switch between them.

import { mountDecision } from "./decision.js";
import { byId, fill, grouped, h } from "./dom.js";
import { mountNetwork } from "./graph.js";
import { mountLearned } from "./learned.js";
import { readModel } from "./model.js";
import { mountPool } from "./pool.js";
import { mountQuality } from "./quality.js";
import { Store } from "./state.js";
import { mountWhatIf } from "./whatif.js";
import { mountWhy } from "./why.js";

function start() {
  const model = readModel(byId("model-data").textContent);
  heading(model);
  const views = [
    model.pool ? { id: "features", title: "Features" } : { id: "network", title: "Network" },
    model.pool ? null : { id: "whatif", title: "What if" },
    model.target === null ? null : { id: "why", title: "Why" },
    { id: "quality", title: "Quality" },
    { id: "learned", title: "Training" },
  ].filter(Boolean);
  fill(byId("views"), views.map(({ id, title }) => h("section", { class: "view", id: `view-${id}`, role: "tabpanel", "aria-labelledby": `tab-${id}` },
    h("h2", { class: "print-title" }, title), h("div", { class: "view-body", id: `body-${id}` }))));
  fill(byId("tabs"), views.map(({ id, title }) => h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `view-${id}`, onclick: () => show(id) }, title)));

  let viewport = null, showWhy = null, store = null, current = null;

  /** Show one network: the model, or a member of an ensemble; what was set stays set. */
  function look(at) {
    const before = store;
    store = new Store(at);
    if (before) store.resume(before);
    viewport = mountNetwork(store, byId("body-network"));
    mountDecision(store, model.members ? memberChoice(model, at, (chosen) => {
      look(chosen);
      show(current);
      byId("member").focus();
    }) : null);
    mountWhatIf(store, byId("body-whatif"));
    showWhy = model.target === null ? null : mountWhy(store, byId("body-why"), () => !byId("view-why").hidden);
  }

  if (model.pool) mountPool(model, byId("body-features"), byId("body-why"));
  else look(model);
  mountQuality(model, byId("body-quality"));
  mountLearned(model, byId("body-learned"));

  function show(id) {
    current = id;
    for (const view of views) {
      byId(`view-${view.id}`).hidden = view.id !== id;
      const tab = byId(`tab-${view.id}`);
      tab.setAttribute("aria-selected", String(view.id === id));
      tab.tabIndex = view.id === id ? 0 : -1;
    }
    history.replaceState(null, "", `#${id}`);
    if (id === "network" && viewport.fitted) viewport.fit();
    if (id === "why") showWhy?.();
  }

  tabKeys(views, show);
  /** Show the view that the address names; others, such as that of the skip link, leave everything as it is. */
  function follow() {
    const wanted = location.hash.slice(1);
    show(views.some((view) => view.id === wanted) ? wanted : current ?? views[0].id);
  }

  follow();
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => preparePrint(views, viewport, showWhy));
  addEventListener("afterprint", () => show(current));
  theme();
  document.body.dataset.ready = performance.now().toFixed(1);
}

function heading(model) {
  const features = model.nodes.length - (model.target === null ? 0 : 1);
  const rows = model.learned.data.find(([term]) => term === "Training rows");
  const parts = [model.learned.method ?? model.learned.structure, model.members ? `${model.members.length} networks` : null,
    `${grouped(features)} ${model.target === null ? "nodes" : "features"}`, model.members || model.pool ? null : `${grouped(model.arcs.length)} arcs`, `${grouped(model.parameters)} parameters`,
    rows ? `learned from ${rows[1]} rows` : null];
  document.title = `${model.title} · bayleaf`;
  byId("title").textContent = model.title;
  byId("subtitle").textContent = parts.filter(Boolean).join(" · ");
  byId("nothing").textContent = model.nothing ?? "";
  byId("nothing").hidden = !model.nothing;
}

/** All networks together, or one of them. */
function memberChoice(model, shown, choose) {
  const drawn = model.members.filter((member) => member.drawn);
  const select = h("select", { id: "member", "aria-label": "Network", onchange: () => choose(select.value === "" ? model : model.members[Number(select.value)]) },
    h("option", { value: "" }, `all ${model.members.length} networks together`),
    drawn.map((member) => h("option", { value: member.number - 1 }, `network ${member.number} of ${model.members.length} alone`)));
  select.value = shown === model ? "" : String(shown.number - 1);
  const left = model.members.length - drawn.length;
  return h("div", { class: "chooser" }, select, left ? h("p", { class: "hint" }, `${left} more networks take part but are not drawn.`) : null);
}

/** Arrow keys move along the tabs, as in any tab list; digits choose one from anywhere. */
function tabKeys(views, show) {
  const choose = (k) => {
    const view = views[(k + views.length) % views.length];
    show(view.id);
    byId(`tab-${view.id}`).focus();
  };
  byId("tabs").addEventListener("keydown", (event) => {
    const at = views.findIndex((view) => byId(`tab-${view.id}`) === document.activeElement);
    if (event.key === "ArrowRight") choose(at + 1);
    else if (event.key === "ArrowLeft") choose(at - 1);
  });
  document.addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
    const digit = Number(event.key);
    if (digit >= 1 && digit <= views.length) choose(digit - 1);
  });
}

/** On paper every view shows, one after the other. */
function preparePrint(views, viewport, showWhy) {
  for (const view of views) byId(`view-${view.id}`).hidden = false;
  viewport?.fit();
  showWhy?.();
}

function theme() {
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
}

start();
