// Network, Quality and Use: the model page of the version that is shown, and beside it what can be done with it.

import { byId, fill, grouped, h, scrolled } from "/page/dom.js";
import { against } from "./learn_screen.js";
import { ask, attempt, dropPlace } from "./server.js";

// The view of the model page on each screen: of a network, and of a pool.
const VIEWS = { network: ["network", "features"], quality: ["quality", "quality"], use: ["whatif", "why"] };
let shown = null; // the address of the page that is shown
let seen = null; // the screen and model whose held-out rows were counted as looked at
const scored = { key: null, report: null, result: null, recipe: null };

export function hideModel() {
  byId("model").hidden = true;
  seen = null;
}

export function modelScreen(studio) {
  const { version, shownModel: model, step } = studio;
  byId("model").hidden = false;
  head(studio);
  const key = `${version.number}/${model}`;
  const address = `/versions/${key}/page`;
  const view = VIEWS[step][model === "pool" ? 1 : 0];
  if (shown !== address || seen !== `${step} ${key}`) byId("page").src = `${address}#${view}`;
  shown = address;
  if (seen !== `${step} ${key}`) {
    seen = `${step} ${key}`;
    if (step === "quality" && version.data !== null) studio.change("PUT", `/versions/${version.number}`, { looked: true });
  }
  if (scored.key !== key) Object.assign(scored, { key, report: null, result: null, recipe: null });
  const beside = { network: wishes, quality: looked, use };
  fill(byId("beside"), beside[step](studio, version, model));
}

function head(studio) {
  const { version, state, shownModel } = studio;
  const versions = h("select", { id: "shown-version", onchange: () => studio.choose(Number(versions.value)) }, state.versions.filter((each) => each.models.length).map((each) => h("option", { value: each.number }, each.name)));
  versions.value = String(version.number);
  const names = { network: "one network", pool: "pool of networks" };
  const models = h("select", { id: "shown-model", onchange: () => studio.choose(version.number, models.value) }, version.models.map((name) => h("option", { value: name }, names[name])));
  models.value = shownModel;
  fill(byId("model-head"), h("label", { class: "row" }, h("span", { class: "hint" }, "Version"), versions), h("label", { class: "row" }, h("span", { class: "hint" }, "Model"), models));
}

/** Arcs that must be and must not be: a list, of which the last can be taken back. */
function wishes(studio, version, model) {
  const { state } = studio;
  if (!state.data) return h("p", { class: "hint" }, "This model was opened from a file: without its table, nothing can be learned anew.");
  const put = (list) => studio.change("PUT", "/wishes", { wishes: list });
  const wish = (parent, child, must) => put([...state.wishes.filter((each) => each.parent !== parent || each.child !== child), { parent, child, must }]);
  const columns = (studio.table?.columns ?? []).map((column) => column.column).filter((name) => name !== state.settings.target && !state.settings.drop.includes(name));
  const choice = (id, label) => h("select", { id, "aria-label": label }, columns.map((name) => h("option", { value: name }, name)));
  const [from, to] = [choice("wish-from", "Arc from"), choice("wish-to", "Arc to")];
  if (columns.length > 1) to.selectedIndex = 1;
  const wished = (arc) => state.wishes.find((each) => each.parent === arc[0] && each.child === arc[1]);
  const arcs = version.result.arcs ?? [];
  return [
    h("section", {}, h("h2", {}, "Wishes"), model === "pool" ? h("p", { class: "hint" }, "Wishes are about the one network; a pool takes none.") : null,
      h("ul", { class: "list", id: "wishes" }, state.wishes.map((each, k) => h("li", {}, h("span", {}, `${each.parent} → ${each.child}: ${each.must ? "must be" : "must not be"}`),
        h("button", { class: "quiet", type: "button", "aria-label": `Take back ${each.parent} → ${each.child}`, onclick: () => put(state.wishes.filter((_, j) => j !== k)) }, "take back")))),
      state.wishes.length ? h("div", { class: "row" }, h("button", { class: "plain", id: "undo", type: "button", onclick: () => put(state.wishes.slice(0, -1)) }, "Undo the last"),
        h("button", { class: "main-button", id: "relearn", type: "button", disabled: Boolean(state.running), onclick: () => byId("learn").click() }, "Relearn")) : h("p", { class: "hint" }, "None: the data decide.")),
    h("fieldset", {}, h("legend", {}, "An arc"), h("div", { class: "row" }, from, "→", to),
      h("div", { class: "row" }, h("button", { class: "plain", id: "must", type: "button", onclick: () => wish(from.value, to.value, true) }, "must be"),
        h("button", { class: "plain", id: "must-not", type: "button", onclick: () => wish(from.value, to.value, false) }, "must not be"))),
    arcs.length ? h("section", {}, h("h2", {}, "Arcs between features"), h("p", { class: "hint" }, "An arrow says what the model looks at together, not what causes what."),
      h("ul", { class: "list", id: "arcs" }, arcs.map((arc) => h("li", {}, h("span", {}, `${arc[0]} → ${arc[1]}`),
        wished(arc) ? h("span", { class: "hint" }, wished(arc).must ? "must be" : "must not be") : h("span", { class: "row" },
          h("button", { class: "quiet", type: "button", "aria-label": `Keep ${arc.join(" → ")}`, onclick: () => wish(...arc, true) }, "keep"),
          h("button", { class: "quiet", type: "button", "aria-label": `Strike out ${arc.join(" → ")}`, onclick: () => wish(...arc, false) }, "strike out")))))) : null,
    version.result.against ? h("section", {}, h("h2", {}, "Against the version before"), against(version.result.against)) : null,
  ];
}

function looked(studio, version) {
  if (version.data === null) return [];
  const times = studio.state.versions.reduce((sum, each) => sum + each.looked, 0);
  return [h("section", {}, h("h2", {}, "Held-out rows"),
    h("p", {}, `Looked at ${times === 1 ? "once" : `${times} times`}, in all versions together.`),
    h("p", { class: "hint" }, "Every choice that these figures lead to makes them slightly optimistic. After many looks, measure once on new rows.")),
  version.result.sentence ? h("p", {}, version.result.sentence) : null];
}

function use(studio, version, model) {
  const base = `/versions/${version.number}/${model}`;
  const link = (href, text, name) => h("a", { class: "plain", href, download: name }, text);
  return [
    h("section", { class: "field" }, h("h2", {}, "Score a file"), scoring(studio, base)),
    h("section", { class: "field" }, h("h2", {}, "Save"), h("div", { class: "row" }, link(`${base}/file`, "Model file", `${model}.bayleaf.json`), link(`${base}/page?download`, "Page", `${model}.html`)),
      h("p", { class: "hint" }, `The project is the folder ${studio.state.folder}: 'bayleaf studio' opens it again.`)),
    version.data === null ? null : h("section", { class: "field" }, h("h2", {}, "The same without the studio"), recipe(studio, base)),
  ];
}

function scoring(studio, base) {
  const read = (path, body) => attempt(async () => {
    Object.assign(scored, { report: await ask("PUT", path, body), result: null });
    studio.render();
  });
  const score = () => attempt(async () => {
    scored.result = await ask("POST", `${base}/score`);
    studio.render();
  });
  const { report, result } = scored;
  return [
    dropPlace("Drop rows to score here.", (file) => read(`${base}/rows?name=${encodeURIComponent(file.name)}`, file), true),
    report ? h("div", { id: "report" }, h("h3", {}, `${report.name}: ${grouped(report.rows)} rows`), h("ul", { class: "list" }, report.columns.map(reportLine)),
      report.ignored.length ? h("p", { class: "hint" }, `Not used: ${report.ignored.join(", ")}.`) : null,
      h("button", { class: "main-button", id: "score", type: "button", onclick: score }, "Score these rows")) : null,
    result ? h("div", { id: "scored" }, h("p", {}, `${grouped(result.rows)} rows scored. `, h("a", { href: "/scored.csv", download: "predictions.csv" }, "Download the predictions")),
      result.notes.map((note) => h("p", { class: "hint" }, note)),
      scrolled("Predictions", h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "row"), result.columns.map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, result.lines.map((line, k) => h("tr", {}, h("td", {}, String(k + 1)), line.map((value, j) => h("td", {}, j === 0 ? value : Number(value).toFixed(3))))))))) : null,
  ];
}

function reportLine(line) {
  const parts = line.absent ? ["absent"] : [`${grouped(line.read)} read`, line.empty ? `${grouped(line.empty)} empty` : null, line.unknown ? `${grouped(line.unknown)} unknown, taken as missing` : null, line.unread ? `${grouped(line.unread)} not read` : null];
  const wrong = line.absent || line.unread;
  return h("li", {}, h("strong", {}, line.column), h("span", { class: wrong ? "caution" : "hint" }, parts.filter(Boolean).join(", "), line.examples.length ? `: ${line.examples.join(", ")}` : null));
}

function recipe(studio, base) {
  if (!scored.recipe) {
    const show = () => attempt(async () => { scored.recipe = await ask("GET", `${base}/recipe`); studio.render(); });
    return h("button", { class: "plain", id: "recipe", type: "button", onclick: show }, "Show the lines");
  }
  const copy = (text) => h("button", { class: "quiet", type: "button", onclick: () => navigator.clipboard.writeText(text) }, "copy");
  return [["On the command line", scored.recipe.command], ["In Python", scored.recipe.python]].map(([title, text]) => [h("h3", {}, title, " ", copy(text)), h("pre", { tabindex: 0, "aria-label": title }, text)]);
}
