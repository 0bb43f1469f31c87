// Take it away: figures as SVG or PNG, tables as CSV. Files are made in the browser and sent nowhere.

import { h, s } from "./dom.js";

// Styles that become attributes of the elements: the page's security policy admits no others.
const STYLED = ["display", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "marker-end"];
const SCALE = 2; // of pictures in pixels

/** Let the browser save a file. */
export function download(name, content, type) {
  const link = h("a", { href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // a busy browser begins to save late
}

/** Buttons that save the figure which `drawing()` returns. */
export function figureTools(drawing, name) {
  return h("span", { class: "take" },
    h("button", { type: "button", class: "quiet", "data-take": `${name}.svg`, title: "Save this figure as SVG", onclick: () => download(`${name}.svg`, svgText(drawing()), "image/svg+xml") }, "SVG"),
    h("button", { type: "button", class: "quiet", "data-take": `${name}.png`, title: "Save this figure as PNG", onclick: () => savePng(drawing(), name) }, "PNG"));
}

/** A drawing with its styles inside, so that it looks the same without the page. */
function svgText(drawing) {
  const copy = drawing.cloneNode(true);
  const theirs = copy.querySelectorAll("*");
  drawing.querySelectorAll("*").forEach((element, k) => {
    const style = getComputedStyle(element);
    for (const name of STYLED) theirs[k].setAttribute(name, style.getPropertyValue(name));
  });
  for (const element of copy.querySelectorAll("foreignObject, .target, .opener")) element.remove();
  const { x, y, width, height } = frame(drawing);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(s("rect", { x, y, width, height, fill: getComputedStyle(document.documentElement).getPropertyValue("--surface").trim() || "#ffffff" }));
  return new XMLSerializer().serializeToString(copy);
}

/** What of a drawing is saved: all of it, or as much as the screen shows. */
function frame(drawing) {
  const box = drawing.viewBox.baseVal;
  return box && box.width ? box : { x: 0, y: 0, width: drawing.clientWidth || 800, height: drawing.clientHeight || 500 };
}

function savePng(drawing, name) {
  const { width, height } = frame(drawing);
  const address = URL.createObjectURL(new Blob([svgText(drawing)], { type: "image/svg+xml" }));
  const picture = new Image();
  picture.onload = () => {
    const canvas = h("canvas", { width: SCALE * width, height: SCALE * height });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(`${name}.png`, blob, "image/png"));
    URL.revokeObjectURL(address);
  };
  picture.src = address;
}

/** Rows of cells as CSV. */
export function csvText(rows) {
  const cell = (value) => (/[",\n\r]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}
