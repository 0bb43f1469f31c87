// Pan and zoom of a drawing, and nodes that are moved: drag, wheel, pinch.

const CLOSEST = 2.5;
const LEGIBLE = 0.8;
const FAR = 0.36; // below this a node that is revealed comes closer
const AROUND = [90, 40]; // half a node and what is free around it, across and down
const LEGEND = 30; // the legend at the bottom stays free
const PAPER = [680, 640]; // pixels across and down
const PAPER_SCALE = 0.85; // small networks are drawn no larger

export class Viewport {
  constructor(drawing, scene, bounds) {
    this.drawing = drawing;
    this.scene = scene;
    this.bounds = bounds; // null until there is something to show
    this.scale = 1;
    this.x = this.y = 0;
    this.fitted = true;
    this.covered = 0; // pixels at the right
    this.pointers = new Map();
    this.dragged = false;
    this.held = null; // the node under the pointer that drags
    this.onMove = null; // takes a node and how far it is moved
    this.#listen();
    new ResizeObserver(() => this.fitted && this.fit()).observe(drawing);
  }

  #size() {
    return { width: this.drawing.clientWidth || 800, height: this.drawing.clientHeight || 500 };
  }

  #apply() {
    if (this.onPaper) return;
    this.onScale?.(this.scale);
    this.scene.setAttribute("transform", `translate(${this.x.toFixed(2)},${this.y.toFixed(2)}) scale(${this.scale.toFixed(4)})`);
  }

  /** Show the whole drawing. */
  fit() {
    if (!this.bounds) return;
    const { width: whole, height } = this.#size(), width = whole - this.covered;
    const { bounds } = this;
    const free = height - LEGEND;
    this.scale = Math.min(width / bounds.width, free / bounds.height, 1.25);
    this.x = (width - bounds.width * this.scale) / 2 - bounds.x * this.scale;
    this.y = (free - bounds.height * this.scale) / 2 - bounds.y * this.scale;
    this.fitted = true;
    this.#apply();
  }

  /** Let the drawing scale with the paper: the window may be wider. */
  toPaper() {
    const { x, y, width, height } = this.bounds;
    const scale = Math.min(PAPER[0] / width, PAPER[1] / height, PAPER_SCALE);
    this.drawing.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.drawing.style.setProperty("--paper-height", `${(height * scale).toFixed(0)}px`);
    this.onPaper = true; // paper has another width, which is no reason to fit
    this.scene.removeAttribute("transform");
    this.onScale?.(scale);
  }

  toScreen() {
    this.drawing.removeAttribute("viewBox");
    this.onPaper = false;
    this.#apply();
  }

  /** Zoom about a point of the drawing, by default its centre. */
  zoom(factor, px, py) {
    const { width, height } = this.#size();
    const [cx, cy] = [px ?? width / 2, py ?? height / 2];
    const smallest = 0.5 * Math.min(width / this.bounds.width, height / this.bounds.height, 1);
    const scale = Math.max(smallest, Math.min(CLOSEST, this.scale * factor));
    this.x = cx - (cx - this.x) * (scale / this.scale);
    this.y = cy - (cy - this.y) * (scale / this.scale);
    this.scale = scale;
    this.fitted = false;
    this.#apply();
  }

  /**
   * Say how many pixels at the right are covered from now on, and bring places into sight beside them. All that was in
   * sight stays so where it can be read; else the places come closer, as near as all of them can be seen.
   */
  cover(covered, places) {
    this.covered = covered;
    if (this.fitted) this.fit();
    if (!places.length || (this.fitted && this.scale >= FAR)) return;
    const { width: whole, height } = this.#size(), width = whole - covered;
    const isInside = ([x, y]) => {
      const px = x * this.scale + this.x, py = y * this.scale + this.y;
      return px > AROUND[0] && px < width - AROUND[0] && py > AROUND[1] && py < height - AROUND[1];
    };
    if (this.scale >= FAR && places.every(isInside)) return;
    const [xs, ys] = [0, 1].map((axis) => places.map((place) => place[axis]));
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const room = Math.min((width - 2 * AROUND[0]) / Math.max(1, right - left), (height - LEGEND - 2 * AROUND[1]) / Math.max(1, bottom - top));
    this.scale = Math.min(this.scale < FAR ? LEGIBLE : this.scale, room);
    this.x = width / 2 - ((left + right) / 2) * this.scale;
    this.y = (height - LEGEND) / 2 - ((top + bottom) / 2) * this.scale;
    this.fitted = false;
    this.#apply();
  }

  /** Move the drawing as little as needed to bring a box into sight, its upper left corner before all. */
  include(x, y, width, height) {
    const { width: wide, height: high } = this.#size();
    const into = (start, size, room) => Math.max(0, start) - Math.max(0, Math.max(0, start) + Math.min(size, room) - room) - start;
    const [dx, dy] = [into(x * this.scale + this.x, width * this.scale, wide), into(y * this.scale + this.y, height * this.scale, high - LEGEND)];
    if (dx || dy) this.#pan(dx, dy);
  }

  #listen() {
    const { drawing, pointers } = this;
    const place = (event) => {
      const box = drawing.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    // The wheel alone scrolls the page; with Ctrl (or by pinching a touchpad) it zooms.
    drawing.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.004), ...place(event));
    }, { passive: false });
    drawing.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, place(event));
      this.dragged = false;
      this.held = event.target.closest("[data-graph-node]")?.dataset.graphNode ?? null;
    });
    drawing.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = place(event);
      if (!this.dragged && Math.hypot(now[0] - before[0], now[1] - before[1]) < 4) return;
      this.dragged = true;
      if (pointers.size === 2) this.#pinch(event.pointerId, now);
      else if (this.held !== null) this.onMove(Number(this.held), (now[0] - before[0]) / this.scale, (now[1] - before[1]) / this.scale);
      else this.#pan(now[0] - before[0], now[1] - before[1]);
      pointers.set(event.pointerId, now);
    });
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
      drawing.addEventListener(name, (event) => pointers.delete(event.pointerId));
    }
    // A drag that ends on a node is not a click on it.
    drawing.addEventListener("click", (event) => {
      if (this.dragged) event.stopPropagation();
      this.dragged = false;
    }, { capture: true });
  }

  #pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.fitted = false;
    this.#apply();
  }

  #pinch(id, now) {
    const before = this.pointers.get(id);
    const other = [...this.pointers.entries()].find(([key]) => key !== id)[1];
    const distance = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
    this.zoom(distance(now) / Math.max(1, distance(before)), other[0], other[1]);
  }
}
