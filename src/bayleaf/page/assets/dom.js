// Making elements and writing numbers. Text from the data only ever becomes text nodes, never markup.

const DARKEST = 0.58; // share of the accent colour: a contrast of 4.5 to 1 or better
const NARROW_FORM = "(max-width: 760px)"; // as in views.css
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** Create an HTML element: h("p", { class: "note" }, "text", child, ...). */
export function h(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** Create an SVG element. */
export function s(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

/** Replace everything inside an element. The focus, if it was inside, stays there. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : element;
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  if (focused !== element) keepFocus(element, focused);
}

/** Focus what had the focus before, or what is now in its place, or else the element around it: never the body. */
function keepFocus(element, focused) {
  const alike = (each) => each.id === focused.id && each.ariaLabel === focused.ariaLabel
    && (focused.dataset.state === undefined ? each.textContent === focused.textContent : each.dataset.state === focused.dataset.state && each.dataset.node === focused.dataset.node);
  const place = focused.isConnected ? focused : [...element.querySelectorAll(focused.localName)].find(alike) ?? element;
  if (place === element && element.tabIndex < 0) element.tabIndex = -1; // can be focused, but not by Tab
  place.focus({ preventScroll: true });
}

/** A part of the page that scrolls by itself; the keyboard reaches it, too. */
export function scrolled(label, ...children) {
  return h("div", { class: "heat-wrap", role: "group", tabindex: 0, "aria-label": label }, ...children);
}

export function byId(id) {
  return document.getElementById(id);
}

/** Focus an element, and open what it is folded into. */
export function focusOn(id) {
  const fold = byId(id).closest("details");
  if (fold) fold.open = true;
  byId(id).focus();
}

/** A probability for people: never "100%" for what is not certain, never "0%" for what is possible. */
export function percent(p) {
  if (!Number.isFinite(p)) return "–";
  if (p > 0 && p < 0.0005) return "<0.1%";
  if (p < 1 && p > 0.9995) return ">99.9%";
  return `${(100 * p).toFixed(p >= 0.0995 && p <= 0.9005 ? 0 : 1)}%`.replace(".0%", "%");
}

/** A share that was measured, with one digit: figures below one another have the same. */
export function percent1(share) {
  return `${(100 * share).toFixed(1)}%`;
}

/** An interval around a figure, each end in the words of `text`; a sign of percent is said once. */
export function intervalText(low, high, text) {
  const [from, to] = [text(low), text(high)];
  return to.endsWith("%") ? `${from.slice(0, -1)}–${to}` : `${from}–${to}`;
}

/** Text whose intervals ("6.35 – 27.5", "> 27.5") are not broken. */
export function tied(text) {
  return text.replaceAll(" – ", "\u00a0–\u2060\u00a0").replace(/([≤≥>]) /g, "$1\u00a0");
}

/** Text that may be broken after an underline, a hyphen, a dot or a slash: long names of columns. */
export function breakable(text) {
  return text.match(/[^_\-./]*(?:[_\-./]+|$)/g).flatMap((part, k) => (k ? [h("wbr"), part] : [part]));
}

/** One probability of a distribution; a rounded one is not written as certain while others are possible. */
export function percentOf(distribution, k) {
  if (!distribution) return "–";
  const p = distribution[k];
  return p === 1 && distribution.some((other, j) => j !== k && other > 0) ? ">99.9%" : percent(p);
}

/** Odds for people, from their logarithm: "12 to 1". */
export function oddsText(logOdds) {
  const size = Math.abs(logOdds);
  const ratio = Math.exp(size);
  const text = size === Infinity ? "∞" : ratio >= 1e6 ? `10${superscript(Math.round(size / Math.LN10))}` : ratio >= 100 ? Math.round(ratio).toLocaleString("en") : ratio.toPrecision(3);
  return logOdds >= 0 ? `${text} to 1` : `1 to ${text}`;
}

function superscript(n) {
  return Array.from(String(n), (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
}

/** A signed number with a true minus sign; nought has none. */
export function signed(x, digits = 2) {
  const text = fixed(x, digits);
  return x > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** A number with so many digits after the point and a true minus sign; nought has none. */
export function fixed(x, digits) {
  if (Number.isNaN(x)) return "–";
  const text = Number.isFinite(x) ? Math.abs(x).toFixed(digits) : "∞";
  return x < 0 && Number(text) !== 0 ? `−${text}` : text;
}

export function grouped(n) {
  return Math.round(n).toLocaleString("en");
}

/** Cut text that would not fit; the whole of it belongs in a tooltip. */
export function clip(text, length) {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

const pen = document.createElement("canvas").getContext("2d");

/** Cut text to a width in pixels when drawn in a font. */
export function clipToWidth(text, width, font) {
  pen.font = font;
  if (pen.measureText(text).width <= width) return text;
  let keep = Math.min(text.length, 80);
  while (keep > 1 && pen.measureText(`${text.slice(0, keep)}…`).width > width) keep -= 1;
  return `${text.slice(0, keep)}…`;
}

/** The same, but the end of the text is kept. */
export function clipStartToWidth(text, width, font) {
  const backwards = (letters) => Array.from(letters).reverse().join("");
  return backwards(clipToWidth(backwards(text), width, font));
}

export function argmax(values) {
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[best]) best = k;
  return best;
}

/** How dark a cell of a heat map is; even the darkest lets the ink of the page be read, on light and on dark. */
export function shade(element, property, share) {
  const strength = Math.round(100 * Math.max(0, Math.min(1, share)) * DARKEST);
  element.style.setProperty(property, `color-mix(in oklab, var(--accent) ${strength}%, var(--surface))`);
}

/**
 * Buttons that Tab reaches as one: arrows, Home and End go from each to the next. Tab stops at the one that was focused
 * last, at the one that is pressed, or else at the first that `isFirst` holds for.
 */
export function oneStop(element, isFirst = () => true) {
  let current = null;
  const buttons = () => [...element.querySelectorAll("button")].filter((each) => !each.disabled && (!each.isConnected || each.checkVisibility()));
  const settle = () => {
    const all = buttons();
    const stop = all.find((each) => each === current) ?? all.find((each) => each.ariaPressed === "true") ?? all.find(isFirst) ?? all[0];
    for (const each of all) each.tabIndex = each === stop ? 0 : -1;
  };
  element.addEventListener("focusin", (event) => {
    if (event.target.localName !== "button") return;
    current = event.target;
    settle();
  });
  element.addEventListener("keydown", (event) => {
    const all = buttons(), at = all.indexOf(event.target), last = all.length - 1;
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    all[Math.max(0, Math.min(last, to))].focus();
  });
  new MutationObserver(settle).observe(element, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-pressed", "aria-expanded", "disabled"] });
  matchMedia(NARROW_FORM).addEventListener("change", settle);
  settle();
  requestAnimationFrame(settle); // what is not shown is known only then
}

/** Whether a key may be taken as a shortcut: not while text is typed, not with a modifier, and not where single keys are off. */
export function singleKeys(event) {
  return byId("single-keys").checked && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && !event.ctrlKey && !event.metaKey && !event.altKey;
}
