// The studio: one state, which the server keeps; a rail of steps, each empty, done or stale; one screen at a time.

import { byId, fill, h } from "/page/dom.js";
import { dataScreen } from "./data_screen.js";
import { learnScreen } from "./learn_screen.js";
import { modelScreen, hideModel } from "./model_screens.js";
import { questionScreen } from "./question_screen.js";
import { alarm, ask, attempt } from "./server.js";

const STEPS = [
  { id: "data", title: "Data" }, { id: "question", title: "Question" }, { id: "learn", title: "Learn" },
  { id: "network", title: "Network" }, { id: "quality", title: "Quality" }, { id: "use", title: "Use" },
];

const studio = {
  state: null, table: null, tableError: null, step: null, number: null, model: null,

  /** The version that is shown: the one chosen, or the last that has a model. */
  get version() {
    const { versions } = this.state;
    return versions.find((each) => each.number === this.number) ?? versions.findLast((each) => each.models.length) ?? versions.at(-1) ?? null;
  },

  /** Which of its models is shown. */
  get shownModel() {
    const models = this.version?.models ?? [];
    return models.includes(this.model) ? this.model : models[0] ?? null;
  },

  /** Ask for a change, and show what came of it. */
  change(method, path, body) {
    return attempt(async () => { await this.take(await ask(method, path, body)); return true; });
  },

  settings(changes) {
    return this.change("PUT", "/settings", { ...this.state.settings, ...changes });
  },

  go(step) {
    this.step = step;
    history.replaceState(null, "", `#${step}`);
    this.render();
    byId("screen").scrollTop = 0;
  },

  choose(number, model = this.model) {
    this.number = number;
    this.model = model;
    this.render();
  },

  /** Take a new state. The screen is drawn anew only where more than the progress has changed. */
  async take(state) {
    const before = this.state;
    this.state = state;
    progress();
    const same = before && JSON.stringify({ ...before, running: before.running?.number }) === JSON.stringify({ ...state, running: state.running?.number });
    if (same) return;
    const read = (each) => each && JSON.stringify([each.data, each.settings]);
    if (read(before) !== read(state)) await this.readTable();
    this.render();
  },

  async readTable() {
    this.tableError = null;
    if (!this.state.data) { this.table = null; return; }
    try {
      this.table = await ask("GET", "/table");
    } catch (error) {
      this.table = null;
      this.tableError = error.message;
    }
  },

  render() {
    const { state, step } = this;
    byId("project").textContent = state.data ? `${state.name} · ${state.data.name}` : state.name;
    document.title = `${state.name} · bayleaf studio`;
    rail();
    target();
    const ofModel = ["network", "quality", "use"].includes(step) && this.shownModel !== null;
    byId("screen").hidden = ofModel;
    if (ofModel) { modelScreen(this); return; }
    hideModel();
    const screens = { data: dataScreen, question: questionScreen, learn: learnScreen };
    fill(byId("screen"), screens[step] ? screens[step](this) : h("p", { class: "lead" }, "There is no model yet: choose a target and learn."));
  },
};

/** What each step is: empty, done, or stale where something before it was changed since. */
function stateOf(id) {
  const { state, version } = studio;
  const learned = version !== null && version.models.length > 0;
  const now = JSON.stringify([state.settings, state.wishes, state.data?.sha256]);
  const stale = learned && version.data !== null && JSON.stringify([version.settings, version.wishes, version.data]) !== now;
  if (id === "data") return state.data ? "done" : "empty";
  if (id === "question") return state.settings.target ? "done" : "empty";
  if (id === "learn" && state.running) return "learning";
  return !learned ? "empty" : stale ? "stale" : "done";
}

function rail() {
  fill(byId("rail"), STEPS.map(({ id, title }) => {
    const is = stateOf(id);
    return h("button", { type: "button", id: `step-${id}`, class: is, "aria-current": id === studio.step ? "page" : null, onclick: () => studio.go(id) },
      h("strong", {}, title), h("span", {}, is));
  }));
}

/** The question in one line, on every screen: two clicks from a table to a result. */
function target() {
  const { state, table } = studio;
  if (!state.data || !table) { fill(byId("ask")); return; }
  const names = table.columns.map((column) => column.column);
  const select = h("select", { id: "target", onchange: () => studio.settings({ target: select.value || null }) },
    h("option", { value: "" }, "choose a column"), names.map((name) => h("option", { value: name }, name)));
  select.value = state.settings.target ?? "";
  const learn = async () => { if (await studio.change("POST", "/learn", {})) studio.choose(studio.state.running?.number ?? null); studio.go("learn"); };
  const ready = state.settings.target && !state.running && !table.classes?.problem;
  fill(byId("ask"), h("label", { class: "row" }, h("span", { class: "hint" }, "Predict"), select),
    h("button", { class: "main-button", id: "learn", type: "button", disabled: !ready, onclick: learn }, "Learn"));
}

function progress() {
  const { running } = studio.state;
  fill(byId("progress"), running ? [h("span", { id: "stage" }, running.stage),
    h("button", { class: "plain", id: "stop", type: "button", onclick: () => studio.change("POST", "/stop") }, "Stop")] : []);
}

async function start() {
  await attempt(async () => { await studio.take(await ask("GET", "/state")); });
  if (!studio.state) return;
  const wanted = STEPS.find(({ id }) => `#${id}` === location.hash)?.id;
  studio.step = wanted ?? (studio.version?.models.length ? "network" : "data");
  studio.render();
  const events = new EventSource("/events");
  let asking = false, again = false;
  events.addEventListener("state", async () => {
    again = true;
    if (asking) return;
    asking = true;
    while (again) {
      again = false;
      try { await studio.take(await ask("GET", "/state")); } catch (error) { alarm(error.message); }
    }
    asking = false;
  });
  events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) alarm("The studio has ended: start 'bayleaf studio' again. Nothing is lost."); });
  document.body.dataset.ready = "yes";
}

// A file that is dropped beside its place must not replace the studio.
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => event.preventDefault());
start();
