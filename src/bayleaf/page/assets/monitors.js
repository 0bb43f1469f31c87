// Monitors: nodes of the drawing that are open, with their states as bars to click, in place.

import { h, s } from "./dom.js";
import { stateList } from "./whatif.js";

const MOST = 6, LINE = 29;

export class Monitors {
  constructor(store, width, height) {
    this.store = store;
    this.width = width;
    this.height = height;
    this.element = s("g", { class: "monitors" });
    this.open = new Map();
    this.button = null; // closes all
    this.onOpen = null; // takes the place of a node and its states
    store.subscribe((what) => { if (what === "evidence") for (const { states } of this.open.values()) states.update(); });
  }

  /** Open or close a node. */
  toggle(index) {
    if (this.open.has(index)) {
      this.open.get(index).frame.remove();
      this.open.delete(index);
    } else this.#show(index);
    if (this.button) this.button.hidden = this.open.size === 0;
  }

  #show(index) {
    const node = this.store.model.nodes[index];
    const states = stateList(this.store, node, { most: MOST });
    states.update();
    const lines = node.arity <= MOST + 2 ? node.arity : MOST + 2;
    const frame = s("foreignObject", { width: this.width + 24, height: lines * LINE + 20, "data-monitor": index });
    frame.append(h("div", { class: "monitor card" }, states.element));
    this.element.append(frame);
    this.open.set(index, { frame, states });
    this.#put(index);
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(frame.getAttribute(name)));
    this.onOpen?.(x, y - this.height - 4, width, height + this.height + 4);
  }

  #put(index) {
    const [x, y] = this.places[index];
    const { frame } = this.open.get(index);
    frame.setAttribute("x", x - this.width / 2 - 12);
    frame.setAttribute("y", y + this.height / 2 + 2);
  }

  place(places) {
    this.places = places;
    for (const index of this.open.keys()) this.#put(index);
  }

  closeAll() {
    for (const index of [...this.open.keys()]) this.toggle(index);
    document.querySelector("svg.network").focus();
  }
}
