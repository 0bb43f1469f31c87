// The page: read the model, mount the views, switch between them.

import { applySettings, readAddress, writeAddress } from "./address.js";
import { mountCompare } from "./compare.js";
import { mountDecision } from "./decision.js";
import { byId, clip, fill, focusOn, grouped, h, singleKeys } from "./dom.js";
import { mountFeatures } from "./features.js";
import { mountNetwork } from "./graph.js";
import { mountLearned } from "./learned.js";
import { readModel, trainingRows, withTarget } from "./model.js";
import { mountNext } from "./next.js";
import { mountPool } from "./pool.js";
import { mountPredictions } from "./predictions.js";
import { mountQuality } from "./quality.js";
import { printSheet } from "./sheet.js";
import { finishAll } from "./slices.js";
import { Store } from "./state.js";
import { prepareSummary } from "./summary.js";
import { mountTour } from "./tour.js";
import { mountWhatIf } from "./whatif.js";
import { mountWhy } from "./why.js";

function start() {
  const model = readModel(byId("model-data").textContent);
  heading(model);
  if (model.pool) startPool(model);
  else startNetwork(model);
  document.body.dataset.ready = performance.now().toFixed(1);
}

/** A pool has no network to draw or to ask. */
function startPool(model) {
  const views = [{ id: "features", title: "Features" }, { id: "why", title: "Why" }, { id: "quality", title: "Quality" }, { id: "learned", title: "Training" }];
  let current = null;
  const show = (id) => {
    current = id;
    reveal(views, id);
    writeAddress(id, model);
  };
  const follow = () => {
    const wanted = readAddress(location.hash, model);
    const known = views.some((view) => view.id === wanted.view);
    if (known) applySettings(wanted);
    if (known && wanted.rule) model.rule.set(wanted.rule);
    show(known ? wanted.view : current ?? "features");
  };
  layOut(views, show);
  byId("keys").textContent = "digits for the views";
  const list = mountPool(model, byId("body-features"), byId("body-why"));
  mountQuality(model, byId("body-quality"), (filter) => {
    list(filter);
    show("why");
    byId("pool-rows").scrollIntoView();
    byId("case-filter").focus();
  });
  mountLearned(model, byId("body-learned"));
  tabKeys(views, show);
  follow();
  model.rule.subscribe(() => writeAddress(current, model));
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => prepareSummary(model) || views.forEach(({ id }) => { byId(`view-${id}`).hidden = false; }));
  addEventListener("afterprint", () => show(current));
  settings(() => writeAddress(current, model));
}

/** A section and a tab for every view. */
function layOut(views, show) {
  fill(byId("views"), views.map(({ id, title }) => h("section", { class: "view", id: `view-${id}`, role: "tabpanel", "aria-labelledby": `tab-${id}` },
    h("h2", { class: "print-title" }, title), h("div", { class: "view-body", id: `body-${id}` }))));
  fill(byId("tabs"), views.map(({ id, title }) => h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `view-${id}`, onclick: () => show(id) }, title)));
}

/** Show one view alone. The focus does not stay behind in a view that is hidden now. */
function reveal(views, id) {
  for (const view of views) {
    byId(`view-${view.id}`).hidden = view.id !== id;
    const tab = byId(`tab-${view.id}`);
    tab.setAttribute("aria-selected", String(view.id === id));
    tab.tabIndex = view.id === id ? 0 : -1;
  }
  const left = document.activeElement.closest(".view")?.hidden;
  if (left) (byId(`view-${id}`).querySelector("svg.network") ?? byId(`tab-${id}`)).focus({ preventScroll: true });
}

function startNetwork(model) {
  const views = [
    { id: "network", title: "Network" },
    { id: "whatif", title: "What if" },
    { id: "why", title: "Why", asksForClass: true },
    { id: "next", title: "Next", asksForClass: true },
    { id: "features", title: "Features", asksForClass: true },
    { id: "quality", title: "Quality" },
    { id: "learned", title: "Training" },
  ];
  layOut(views, show);

  const asksForClass = (id) => views.some((view) => view.id === id && view.asksForClass);
  let viewport = null, store = null, current = null;
  const refresh = {}; // by view: bring it up to date, if it is visible

  /** Show one network: the model, or a member of an ensemble; what was set stays set. */
  function look(at) {
    const before = store;
    store = new Store(at);
    if (before) store.resume(before);
    viewport = mountNetwork(store, byId("body-network"));
    mountDecision(store, {
      chooser: model.members ? memberChoice(model, at, (chosen) => {
        look(chosen);
        show(current);
        byId("member").focus();
      }) : model.target === null ? targetChoice(model, at, (chosen) => {
        look(withTarget(model, chosen));
        show(asksForClass(current) && chosen === null ? "network" : current);
        byId("target").focus();
      }) : null,
      printCase: () => printSheet(store),
    });
    mountCompare(store, byId("compare"));
    mountWhatIf(store, byId("body-whatif"));
    const mounts = { why: mountWhy, next: mountNext, features: mountFeatures };
    for (const [id, mount] of Object.entries(mounts)) {
      byId(`tab-${id}`).hidden = at.target === null;
      refresh[id] = at.target === null ? null : mount(store, byId(`body-${id}`), () => !byId(`view-${id}`).hidden);
    }
    store.subscribe((what) => { if (what === "evidence" || what === "pinned") keepAddress(); });
  }

  /** The address says what is shown and set, once the page has started. */
  function keepAddress() {
    if (current) writeAddress(current, model, store);
  }

  look(model);
  mountQuality(model, byId("body-quality"), (filter) => {
    store.listRows(filter);
    if (filter.rows.length) store.loadRow(filter.rows[0]);
    focusOn("row");
  });
  mountLearned(model, byId("body-learned"));
  const decideAgain = mountPredictions(() => store);
  model.rule.subscribe(() => {
    store.decideAgain();
    decideAgain();
  });

  function show(id) {
    current = id;
    reveal(views, id);
    keepAddress();
    if (id === "network") viewport.update();
    if (id === "network" && viewport.fitted) viewport.fit();
    refresh[id]?.();
  }

  tabKeys(views, show);
  if (model.target !== null) mountTour(model, show);
  /** Show what the address says; others, such as that of the skip link, leave everything as it is. */
  function follow() {
    const wanted = readAddress(location.hash, model);
    const known = views.some((view) => view.id === wanted.view) && (store.model.target !== null || !asksForClass(wanted.view));
    if (known) applySettings(wanted);
    if (known && wanted.rule) model.rule.set(wanted.rule);
    if (wanted.withValues) byId("case-in-address").checked = true;
    if (known && (wanted.case || wanted.pinned)) store.restore(wanted.case ?? { row: null, evidence: [] }, wanted.pinned);
    show(known ? wanted.view : current ?? "network");
  }

  follow();
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => prepareSummary(model) || preparePrint(views.filter(({ id }) => store.model.target !== null || !asksForClass(id)), viewport, refresh));
  addEventListener("afterprint", () => {
    for (const states of document.querySelectorAll(".states")) states.dispatchEvent(new Event("to-screen"));
    viewport.toScreen();
    show(current);
  });
  settings(keepAddress);
}

function heading(model) {
  const features = model.nodes.length - (model.target === null ? 0 : 1);
  const rows = trainingRows(model);
  const parts = [model.learned.method ?? model.learned.structure, model.members ? `${model.members.length} networks` : null,
    `${grouped(features)} ${model.target === null ? "nodes" : "features"}`, model.members || model.pool ? null : `${grouped(model.arcs.length)} arcs`, `${grouped(model.parameters)} parameters`,
    rows ? `learned from ${grouped(rows)} rows` : null];
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

/** Which node is asked for, in a network without a class. */
function targetChoice(model, shown, choose) {
  const select = h("select", { id: "target", "aria-label": "Node that is asked for", onchange: () => choose(select.value === "" ? null : Number(select.value)) },
    h("option", { value: "" }, "no node is the class"),
    model.nodes.filter((node) => node.arity > 1).map((node) => h("option", { value: node.index }, `ask for ${clip(node.name, 40)}`)));
  select.value = shown.target === null ? "" : String(shown.target);
  return h("div", { class: "chooser" }, select);
}

/** Arrow keys move along the tabs, as in any tab list; digits choose one from anywhere, unless single keys are off. */
function tabKeys(all, show) {
  const choose = (k) => {
    const views = all.filter(({ id }) => !byId(`tab-${id}`).hidden);
    const view = views[(k + views.length) % views.length];
    show(view.id);
    byId(`tab-${view.id}`).focus();
  };
  byId("tabs").addEventListener("keydown", (event) => {
    const at = all.filter(({ id }) => !byId(`tab-${id}`).hidden).findIndex((view) => byId(`tab-${view.id}`) === document.activeElement);
    if (event.key === "ArrowRight") choose(at + 1);
    else if (event.key === "ArrowLeft") choose(at - 1);
  });
  document.addEventListener("keydown", (event) => {
    if (!singleKeys(event)) return;
    const digit = Number(event.key);
    if (digit >= 1 && digit <= all.filter(({ id }) => !byId(`tab-${id}`).hidden).length) choose(digit - 1);
  });
}

/** On paper every view shows, one after the other, and every answer is complete. */
function preparePrint(views, viewport, refresh) {
  for (const view of views) byId(`view-${view.id}`).hidden = false;
  for (const fold of document.querySelectorAll("#case, .loader")) fold.open = true;
  viewport.update();
  viewport.toPaper();
  for (const bring of Object.values(refresh)) bring?.();
  finishAll();
  for (const states of document.querySelectorAll(".states")) states.dispatchEvent(new Event("to-paper"));
}

/** Light or dark, and whether single keys are shortcuts; the address keeps both. */
function settings(keepAddress) {
  byId("single-keys").addEventListener("change", keepAddress);
  byId("case-in-address")?.addEventListener("change", keepAddress);
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    keepAddress();
  });
}

start();
