// Names of nodes in the drawing, in a size that can be read at every scale.

import { clipStartToWidth, clipToWidth, fill, s } from "./dom.js";

export const WIDTH = 172; // of a node
// Names grow as the drawing shrinks, so that they can be read; what is too small even so is hidden, and told on demand.
// All other text has the first of these sizes, and is hidden where that is too small.
const NAME_SIZES = [12.5, 16, 21, 28], LEAST = 9;

/** Write names in the smallest size that can be read at this scale. */
export function showNames(drawing, nodes, scale) {
  let step = NAME_SIZES.findIndex((size) => size * scale >= LEAST);
  const tiny = step < 0;
  if (tiny) step = NAME_SIZES.length - 1;
  drawing.classList.toggle("far", step > 0);
  drawing.classList.toggle("tiny", tiny);
  if (drawing.dataset.step === String(step)) return;
  drawing.dataset.step = String(step);
  const size = NAME_SIZES[step], last = step === NAME_SIZES.length - 1;
  const font = `600 ${size}px system-ui, sans-serif`;
  const room = (node) => (step > 0 ? WIDTH - 20 : WIDTH - (node.missing > 0 ? 72 : 22));
  const short = new Map(nodes.map(({ node }) => [node.index, clipToWidth(node.name, room(node), font)]));
  const often = new Map();
  for (const text of short.values()) often.set(text, (often.get(text) ?? 0) + 1);
  // Names that begin alike are distinguished by their endings.
  const inOneLine = (node) => (often.get(short.get(node.index)) > 1 ? clipStartToWidth(node.name, room(node), font) : short.get(node.index));
  for (const { name, node, element } of nodes) {
    name.style.fontSize = `${size}px`;
    const lines = step === 0 || last ? [inOneLine(node)] : inTwoLines(node.name, WIDTH - 36, font);
    element.classList.toggle("two-lines", lines.length > 1);
    const first = step === 0 ? 17 : lines.length > 1 ? size : last ? 33 : 26;
    fill(name, lines.map((line, k) => s("tspan", { x: 12, y: first + k * size }, line)));
  }
}

/** A name in one line, or broken into two, of which the second may be cut: at a space, after a mark, or else where the first is full. */
function inTwoLines(text, width, font) {
  if (clipToWidth(text, width, font) === text) return [text];
  const whole = clipToWidth(text, width, font).length - 1; // so many letters fit into the first line
  const ends = [...text.matchAll(/ |[-_./]+(?=.)/g)].map((found) => (found[0] === " " ? found.index : found.index + found[0].length));
  const end = ends.findLast((each) => each <= whole) ?? (text.includes(" ") ? text.indexOf(" ") : whole);
  const broken = (at) => [text.slice(0, at), text.slice(at).trim()].map((line) => clipToWidth(line, width, font));
  const cut = (lines) => lines.some((line) => line.endsWith("…"));
  const anywhere = !text.includes(" ") && cut(broken(end)) && !cut(broken(whole)); // rather than cut, but words stay whole
  return broken(anywhere ? whole : end);
}
