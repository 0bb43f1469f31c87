// The network as a drawing: nodes with their current distribution, arcs by strength.

import { argmax, byId, clip, clipToWidth, fill, fixed, grouped, h, percent, percentOf, s, singleKeys } from "./dom.js";
import { mountDetails } from "./details.js";
import { inWords, markovBlanket, strengthText } from "./model.js";
import { Monitors } from "./monitors.js";
import { styled } from "./numerals.js";
import { WIDTH, showNames } from "./node_names.js";
import { figureTools } from "./takeaway.js";
import { Viewport } from "./viewport.js";

const HEIGHT = 46;
const STRIDE = 20; // of a node that is moved by keys
const BESIDE = "(min-width: 761px)", DETAILS_WIDTH = 350; // where the details cover the right side of the drawing
const STATE_FONT = "600 12.5px system-ui, sans-serif";

const HOW_TO_MOVE = " Click a node for its table, and the small triangle at its corner to open its states in place. Drag a node, or all of them by the ground; + and −, Ctrl and the wheel, or pinching zoom.";
const KEYS = " Keys: arrows go from node to node and with Shift move it, + and − zoom, 0 fits all, M opens states, / searches, Esc deselects.";

export function mountNetwork(store, view) {
  const { model } = store;
  const drawing = s("svg", { class: "network", role: "application", "aria-label": "Bayesian network: arrow keys move from node to node", tabindex: 0 });
  const scene = s("g", { class: "scene" });
  drawing.append(arrowHeads(), scene);
  const arcs = drawArcs(model);
  const nodes = model.nodes.map((node) => drawNode(store, node));
  const monitors = new Monitors(store, WIDTH, HEIGHT);
  scene.append(s("g", {}, arcs.map((arc) => arc.element)), s("g", {}, nodes.map((node) => node.element)), monitors.element);

  const viewport = new Viewport(drawing, scene, null);
  monitors.onOpen = (...box) => viewport.include(...box);
  viewport.onScale = (scale) => showNames(drawing, nodes, scale);
  let places = null, step = 0; // of model.starts; beyond them all is shown
  const isShown = (index) => places.at[index] !== null;
  const draw = (moved) => {
    for (const { node, element } of nodes) {
      element.toggleAttribute("hidden", !isShown(node.index));
      if (isShown(node.index) && moved(node.index)) element.setAttribute("transform", `translate(${places.at[node.index][0] - WIDTH / 2},${places.at[node.index][1] - HEIGHT / 2})`);
    }
    arcs.forEach((arc, k) => {
      arc.element.toggleAttribute("hidden", places.bends[k] === null);
      if (places.bends[k] === null) return;
      if (moved(arc.from) || moved(arc.to)) arc.element.setAttribute("d", arcPath(places.at[arc.from], places.at[arc.to], places.bends[k], places.downwards));
    });
    monitors.place(places.at);
    viewport.places = places.at;
    viewport.bounds = bounds(places);
  };
  viewport.onMove = (index, dx, dy) => {
    const [x, y] = places.at[index];
    places.at[index] = [x + dx, y + dy];
    draw((moved) => moved === index);
  };
  let isTurned = false;
  const place = (turned = isTurned) => {
    isTurned = turned;
    places = turnedPlaces(model, turned, model.starts[step]);
    draw(() => true);
    drawing.style.setProperty("--ratio", (viewport.bounds.height / viewport.bounds.width).toFixed(3)); // a narrow screen gives no more height than is needed
    viewport.fit();
  };
  place();
  /** Show more of a wide network: the next step, or as many as it takes to show a node. */
  const grow = (index = null) => {
    do step += 1;
    while (index !== null && model.starts[step] && !model.starts[step].nodes.includes(index));
    place();
    sayShown();
  };
  const shownNow = h("span", { class: "hint", id: "nodes-shown", role: "status" });
  const more = h("button", { type: "button", class: "quiet", id: "more-nodes", onclick: () => {
    grow();
    if (more.hidden) drawing.focus();
  } }, "More");
  const everything = h("button", { type: "button", class: "quiet", id: "all-shown", onclick: () => {
    step = model.starts.length;
    place();
    sayShown();
    drawing.focus();
  } }, "All");
  const sayShown = () => {
    const start = model.starts[step], features = model.nodes.length - 1;
    fill(shownNow, start ? `The ${start.nodes.length - 1} most telling of ${grouped(features)} features` : "");
    more.hidden = everything.hidden = !start;
  };
  sayShown();
  const details = h("aside", { class: "details card", "aria-label": "Selected node" });
  const said = h("p", { class: "said", role: "status", "aria-live": "polite" });
  const tools = toolbar(store, drawing, viewport, arcs, place, monitors);
  tools.append(h("span", { class: "tools" }, shownNow, more, everything));
  fill(view, tools,
    h("div", { class: "network-frame" }, h("div", { class: "canvas card" }, drawing, legend(model)), details), said,
    h("p", { class: "hint" }, howToRead(model), h("span", { class: "on-screen" }, HOW_TO_MOVE), h("span", { class: "on-screen by-key" }, KEYS)));
  mountDetails(store, details, () => drawing.focus());
  keyboard(store, drawing, viewport, monitors);
  for (const { node, element } of nodes) element.append(opener(node, monitors));
  let stale = false;
  /** Bring the nodes up to date, if something changed while they were not in sight. */
  viewport.update = () => {
    if (stale) for (const node of nodes) node.update();
    stale = false;
  };
  store.subscribe((what) => {
    if (what === "evidence") {
      stale = true;
      if (!byId("view-network").hidden) viewport.update();
    } else if (what === "selection") {
      if (store.selected !== null && !isShown(store.selected)) grow(store.selected);
      showSelection(store, nodes, arcs, viewport, drawing);
    }
    else return;
    fill(said, store.selected === null ? "" : announcement(store, model.nodes[store.selected]));
  });
  return viewport;
}

/** A handle at the corner of a node that opens its states in place. */
function opener(node, monitors) {
  return s("g", { class: "opener", "data-open": node.index, onclick: (event) => {
    event.stopPropagation();
    monitors.toggle(node.index);
  } }, s("title", {}, `States of ${node.name}`), s("rect", { x: WIDTH - 28, y: 20, width: 28, height: 26, class: "hit" }), s("path", { d: `M${WIDTH - 17},27 h8 l-4,6 z` }));
}

/**
 * Places of nodes and bends, as they were laid out or with the layers running the other way; of some nodes and arcs only
 * if there is a start with these, null for the others.
 */
function turnedPlaces(model, turned, start) {
  const { downwards, distance } = start ?? model;
  const own = start ? { at: model.nodes.map(() => null), bends: model.arcs.map(() => null), downwards }
    : { at: model.nodes.map((node) => node.at), bends: model.arcs.map((arc) => arc.bends), downwards };
  start?.nodes.forEach((index, k) => { own.at[index] = start.at[k]; });
  start?.arcs.forEach((arc, k) => { own.bends[arc] = start.bends[k]; });
  if (!turned) return own;
  const [across, along] = downwards ? [(HEIGHT + 16) / (WIDTH + 20), (WIDTH + 40) / distance] : [(WIDTH + 20) / (HEIGHT + 16), (HEIGHT + 40) / distance];
  const turn = ([x, y]) => (downwards ? [y * along, x * across] : [y * across, x * along]);
  return { at: own.at.map((point) => point && turn(point)), bends: own.bends.map((points) => points?.map(turn) ?? null), downwards: !downwards };
}

/** What a reader who does not see the drawing is told of a node. */
function announcement(store, node) {
  const p = store.marginals?.[node.index], set = store.evidence[node.index];
  if (set >= 0) return `${inWords(node, set)}, set`;
  return p ? `${inWords(node, argmax(p))}, ${percentOf(p, argmax(p))}` : node.name;
}

function howToRead(model) {
  return [
    model.members ? "Arrows are those that more than half of the networks have, in either direction; thicker ones are in more networks. Choose one network to see all its arrows."
      : "An arrow means that the table of a node depends on another node; thicker arrows carry more information.",
    model.hub ? `The class is ${hubText(model, model.nodes[model.target])}; these arrows are drawn on demand.` : null,
    model.target === null ? null : "The bar on the left of a node is the information that it alone has about the class.",
    "Below each name are the most probable state and the current distribution.",
  ].filter(Boolean).join(" ");
}

function bounds({ at, bends }) {
  const places = [...at, ...bends.flat()].filter(Boolean);
  const xs = places.map(([x]) => x), ys = places.map(([, y]) => y);
  return {
    x: Math.min(...xs) - WIDTH / 2 - 16, y: Math.min(...ys) - HEIGHT / 2 - 22,
    width: Math.max(...xs) - Math.min(...xs) + WIDTH + 32,
    height: Math.max(...ys) - Math.min(...ys) + HEIGHT + 44,
  };
}

function arrowHeads() {
  const head = (id) => s("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" },
    s("path", { d: "M0,0.8 L8,4 L0,7.2 z", class: id }));
  return s("defs", {}, head("arrow"), head("arrow-class"), head("arrow-lit"));
}

function drawArcs(model) {
  const strongest = Math.max(1e-9, ...model.arcs.map((arc) => arc.strength));
  const fromClass = (arc) => model.hub && arc.from === model.target;
  return model.arcs.map((arc) => {
    // Of several networks: 0 for arcs that half of them have. Those of the class are in all, and would cover the rest.
    const share = !model.members ? Math.sqrt(arc.strength / strongest) : arc.from === model.target ? 0.1 : 2 * arc.strength - 1;
    const path = s("path", {
      class: fromClass(arc) ? "arc from-class" : "arc",
      "stroke-width": (0.8 + 4.2 * share).toFixed(2),
    }, s("title", {}, `${model.nodes[arc.from].name} → ${model.nodes[arc.to].name}: ${strengthText(model, arc.strength)}`));
    path.style.setProperty("--strength", (0.75 + 0.25 * share).toFixed(2));
    return { element: path, ...arc, isFromClass: fromClass(arc) };
  });
}

/** From the far side of the parent to the near side of the child, through the bends, as a smooth line. */
function arcPath([x1, y1], [x2, y2], bends, downwards) {
  const start = downwards ? [x1, y1 + HEIGHT / 2] : [x1 + WIDTH / 2, y1];
  const end = downwards ? [x2, y2 - HEIGHT / 2 - 2] : [x2 - WIDTH / 2 - 2, y2];
  // At a bend the line runs straight past the whole length of a node, and turns only between layers.
  const past = ([x, y]) => (downwards ? [[x, y - HEIGHT / 2], [x, y + HEIGHT / 2]] : [[x - WIDTH / 2, y], [x + WIDTH / 2, y]]);
  const points = [start, ...bends.flatMap(past), end];
  let path = `M${start[0]},${start[1]}`;
  for (let k = 1; k < points.length; k++) {
    const [ax, ay] = points[k - 1], [bx, by] = points[k];
    const reach = (downwards ? by - ay : bx - ax) / 2;
    path += downwards ? ` C${ax},${ay + reach} ${bx},${by - reach} ${bx},${by}` : ` C${ax + reach},${ay} ${bx - reach},${by} ${bx},${by}`;
  }
  return path;
}

function drawNode(store, node) {
  const { model } = store;
  const isClass = node.index === model.target;
  const most = Math.max(1e-9, ...model.nodes.map((each) => each.information ?? 0));
  const kind = isClass ? "node class" : node.blanket || model.target === null ? "node" : "node outside";
  const state = s("text", { x: 12, y: 31, class: "node-state" });
  const bars = s("g", { class: "node-bars" });
  const name = s("text", { x: 12, y: 17, class: "node-name" });
  const element = s("g", { class: kind, "data-graph-node": node.index, onclick: (event) => {
    event.stopPropagation();
    store.select(store.selected === node.index ? null : node.index);
  } },
    s("title", {}, nodeTitle(model, node)),
    s("rect", { class: "box", width: WIDTH, height: HEIGHT, rx: 9 }),
    node.information !== null && !isClass ? gauge(node.information / most) : null,
    name,
    node.missing > 0 ? s("text", { x: WIDTH - 8, y: 17, class: "node-missing", "text-anchor": "end" }, `◌ ${percent(node.missing)}`) : null,
    isClass && model.hub ? s("text", { x: WIDTH / 2, y: HEIGHT + 16, class: "node-note", "text-anchor": "middle" }, hubText(model, node)) : null,
    state, bars);
  element.style.setProperty("--tells", `${Math.round((70 * (node.information ?? 0)) / most)}%`);
  return { element, node, name, update: () => updateNode(store, node, element, state, bars) };
}

function hubText(model, node) {
  const features = model.nodes.length - 1;
  return node.children.length === features ? `a parent of all ${features} features` : `a parent of ${node.children.length} of ${features} features`;
}

function nodeTitle(model, node) {
  const lines = [node.name];
  if (node.information !== null) lines.push(`${fixed(node.information, 3)} bits of information about the class`);
  if (node.missing > 0) lines.push(`${percent(node.missing)} missing in training`);
  if (node.cuts?.length) lines.push(`cut at ${node.cutTexts.slice(0, 8).map((text) => styled(text, node.style)).join(", ")}`);
  if (model.target !== null && !node.blanket && node.index !== model.target) lines.push("outside the Markov blanket of the class");
  return lines.join("\n");
}

/** The information of a feature about the class, as a bar along its left side. */
function gauge(share) {
  const height = Math.max(1.5, (HEIGHT - 14) * share);
  return s("rect", { class: "gauge", x: 4, y: HEIGHT - 7 - height, width: 3.5, height, rx: 1.5 });
}

function updateNode(store, node, element, state, bars) {
  const p = store.marginals?.[node.index];
  const set = store.evidence[node.index];
  element.classList.toggle("given", set >= 0);
  if (!p) {
    state.textContent = set >= 0 ? clipToWidth(node.states[set], WIDTH - 24, STATE_FONT) : "";
    bars.replaceChildren();
    return;
  }
  const best = argmax(p);
  state.textContent = set >= 0 ? clipToWidth(node.states[set], WIDTH - 24, STATE_FONT) : `${clipToWidth(node.states[best], WIDTH - 72, STATE_FONT)} · ${percentOf(p, best)}`;
  const full = WIDTH - 24;
  while (bars.childElementCount < Math.min(node.arity, 12)) bars.append(s("rect", { y: HEIGHT - 10, height: 5 }));
  let from = 0;
  [...bars.children].forEach((bar, k) => {
    bar.setAttribute("x", (12 + from * full).toFixed(2));
    bar.setAttribute("width", Math.max(0, p[k] * full - 0.8).toFixed(2));
    bar.style.fillOpacity = set >= 0 ? "0.95" : (0.95 - 0.22 * (k / Math.max(1, Math.min(node.arity, 12) - 1))).toFixed(2);
    from += p[k];
  });
}

function showSelection(store, nodes, arcs, viewport, drawing) {
  const { model, selected } = store;
  const near = selected === null ? null : markovBlanket(model, selected);
  drawing.classList.toggle("has-selection", selected !== null);
  for (const { element, node } of nodes) {
    element.classList.toggle("selected", node.index === selected);
    element.classList.toggle("near", near !== null && near.has(node.index));
  }
  for (const arc of arcs) {
    const lit = selected !== null && (arc.from === selected || arc.to === selected);
    arc.element.classList.toggle("lit", lit);
  }
  const covered = selected !== null && matchMedia(BESIDE).matches ? DETAILS_WIDTH : 0;
  viewport.cover(covered, selected === null ? [] : [selected, model.target ?? selected].map((index) => viewport.places[index]));
}

function toolbar(store, drawing, viewport, arcs, place, monitors) {
  const { model } = store;
  const list = h("datalist", { id: "node-names" }, model.nodes.slice(0, 1000).map((node) => h("option", { value: node.name })));
  const search = h("input", { type: "search", id: "find-node", list: "node-names", placeholder: "Find a node  ( / )", "aria-label": "Find a node",
    oninput: () => look(false), onkeydown: (event) => { if (event.key === "Enter") look(true); } });
  const byName = [...model.nodes].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  const all = h("select", { id: "all-nodes", class: "narrow-only", "aria-label": "Go to a node", onchange: () => {
    store.select(Number(all.value));
    all.value = "";
    drawing.scrollIntoView({ block: "nearest" });
  } }, h("option", { value: "" }, `go to one of ${grouped(model.nodes.length)} nodes`), byName.map((node) => h("option", { value: node.index }, node.name)));
  const none = h("span", { class: "caution", role: "status" });
  const look = (exactOnly) => fill(none, find(store, search.value, exactOnly) ? "" : `No node is called “${clip(search.value.trim(), 30)}”.`);
  const direction = h("select", { id: "direction", "aria-label": "Layout", onchange: () => place((direction.value === "down") !== (model.starts[0] ?? model).downwards) },
    h("option", { value: "down" }, "top to bottom"), h("option", { value: "right" }, "left to right"));
  direction.value = (model.starts[0] ?? model).downwards ? "down" : "right";
  const tools = h("div", { class: "tools" }, search, list, all, none,
    h("span", { class: "zoom" },
      h("button", { type: "button", class: "icon", title: "Zoom out (−)", "aria-label": "Zoom out", onclick: () => viewport.zoom(1 / 1.3) }, "−"),
      h("button", { type: "button", class: "icon", title: "Zoom in (+)", "aria-label": "Zoom in", onclick: () => viewport.zoom(1.3) }, "+"),
      h("button", { type: "button", class: "icon wide", title: "Show all (0)", onclick: () => viewport.fit() }, "Fit")),
    direction, figureTools(() => drawing, "network"),
    h("button", { type: "button", class: "quiet", id: "close-monitors", onclick: () => monitors.closeAll() }, "Close states"));
  monitors.button = tools.querySelector("#close-monitors");
  monitors.button.hidden = true;
  const fromClass = arcs.filter((arc) => arc.isFromClass);
  if (fromClass.length) {
    const show = h("input", { type: "checkbox", id: "class-arcs", onchange: () => drawing.classList.toggle("hide-class-arcs", !show.checked) });
    drawing.classList.add("hide-class-arcs");
    tools.append(h("label", { class: "check" }, show, ` arrows from ${clip(model.nodes[model.target].name, 24)} (${fromClass.length})`));
  }
  return tools;
}

/** Select the node that is called so; false where there is none. */
function find(store, text, exactOnly) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return true;
  const { nodes } = store.model;
  const found = nodes.find((node) => node.name.toLowerCase() === wanted)
    ?? (exactOnly || wanted.length > 1 ? nodes.find((node) => node.name.toLowerCase().includes(wanted)) : undefined);
  if (found && found.index !== store.selected) store.select(found.index);
  return Boolean(found) || (!exactOnly && wanted.length < 2);
}

function keyboard(store, drawing, viewport, monitors) {
  drawing.addEventListener("keydown", (event) => {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (direction && event.shiftKey && store.selected !== null) {
      viewport.onMove(store.selected, ...direction.map((each) => each * STRIDE));
    } else if (direction) {
      walk(store, viewport.places, direction);
    } else if (event.key.toLowerCase() === "m" && store.selected !== null && singleKeys(event)) monitors.toggle(store.selected);
    else if (event.key === "+" || event.key === "=") viewport.zoom(1.3);
    else if (event.key === "-") viewport.zoom(1 / 1.3);
    else if (event.key === "0") viewport.fit();
    else if (event.key === "Escape") store.select(null);
    else return;
    event.preventDefault();
  });
  drawing.addEventListener("click", () => store.select(null));
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && singleKeys(event) && !byId("view-network").hidden) {
      byId("find-node").focus();
      event.preventDefault();
    }
  });
}

/** Select the nearest node in a direction. */
function walk(store, places, [dx, dy]) {
  const { nodes, target } = store.model;
  if (store.selected === null) return store.select(target ?? 0);
  const [x, y] = places[store.selected];
  let best = null, shortest = Infinity;
  for (const node of nodes) {
    if (!places[node.index]) continue;
    const [to, down] = places[node.index];
    const along = (to - x) * dx + (down - y) * dy;
    const across = Math.abs((to - x) * dy) + Math.abs((down - y) * dx);
    if (along > 1 && along + 2 * across < shortest) {
      shortest = along + 2 * across;
      best = node.index;
    }
  }
  if (best !== null) store.select(best);
}

function legend(model) {
  const items = [];
  if (model.target !== null) items.push(h("span", {}, h("i", { class: "key class" }), "class"));
  items.push(h("span", {}, h("i", { class: "key given" }), "evidence"));
  if (model.nodes.some((node) => !node.blanket && node.index !== model.target) && model.target !== null) {
    items.push(h("span", {}, h("i", { class: "key outside" }), "outside the Markov blanket"));
  }
  if (model.target !== null) items.push(h("span", {}, h("i", { class: "key gauge" }), "information about the class"));
  if (model.nodes.some((node) => node.missing > 0)) items.push(h("span", {}, "◌ missing in training"));
  if (model.learned.unused.length) items.push(h("span", { title: model.learned.unused.join(", ") }, `${model.learned.unused.length} features not used`));
  items.push(h("span", { class: "come-closer" }, "choose a node or zoom in to read names"));
  return h("div", { class: "legend" }, items);
}
