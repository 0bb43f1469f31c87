// Small charts in plain SVG.

import { s } from "./dom.js";

/**
 * A chart over the unit square, or as high as `top`. Lines: [{ points, label, strong }]; dots: [{ x, y, size, label }].
 */
export function unitChart({ xLabel, yLabel, lines = [], dots = [], diagonal = false, level = null, bars = [], top: highest = 1 }) {
  const size = 300;
  const left = 46, bottom = 40, top = 10, right = 12;
  const x = (v) => left + v * (size - left - right);
  const y = (v) => size - bottom - (v / highest) * (size - bottom - top);
  const chart = s("svg", { viewBox: `0 0 ${size} ${size}`, class: "chart", role: dots.some((dot) => dot.click) ? "group" : "img", "aria-label": `${yLabel} by ${xLabel}` });
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    chart.append(
      s("line", { x1: x(tick), x2: x(tick), y1: y(0), y2: y(highest), class: "grid" }),
      s("line", { x1: x(0), x2: x(1), y1: y(tick * highest), y2: y(tick * highest), class: "grid" }),
      s("text", { x: x(tick), y: y(0) + 15, class: "tick", "text-anchor": "middle" }, String(tick)),
      s("text", { x: x(0) - 6, y: y(tick * highest) + 3.5, class: "tick", "text-anchor": "end" }, String(Number((tick * highest).toPrecision(2)))),
    );
  }
  for (const bar of bars) {
    chart.append(s("rect", { x: x(bar.from), width: x(bar.to) - x(bar.from) - 1, y: y(bar.height * 0.28), height: y(0) - y(bar.height * 0.28), class: "count-bar" },
      s("title", {}, bar.label)));
  }
  if (diagonal) chart.append(s("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: "reference" }));
  if (level !== null) chart.append(s("line", { x1: x(0), y1: y(level), x2: x(1), y2: y(level), class: "reference" }));
  for (const line of lines) {
    const path = line.points.map(([px, py], k) => `${k ? "L" : "M"}${x(px).toFixed(1)},${y(py).toFixed(1)}`).join("");
    chart.append(s("path", { d: path, class: line.strong ? "line strong" : "line" }, s("title", {}, line.label)));
  }
  for (const dot of dots) {
    const circle = s("circle", { cx: x(dot.x), cy: y(dot.y), r: dot.size, class: dot.few ? "dot few" : "dot" }, s("title", {}, dot.label));
    chart.append(circle);
    if (dot.click) chart.append(target(x(dot.x), y(dot.y), dot));
  }
  chart.append(
    s("text", { x: x(0.5), y: size - 6, class: "axis", "text-anchor": "middle" }, xLabel),
    s("text", { x: 12, y: y(highest / 2), class: "axis", "text-anchor": "middle", transform: `rotate(-90 12 ${y(highest / 2)})` }, yLabel),
  );
  return chart;
}

/** A place around a dot, large enough to be hit, that does something. */
function target(cx, cy, dot) {
  return s("circle", { cx, cy, r: 11, class: "target", tabindex: 0, role: "button", "aria-label": dot.label, onclick: dot.click,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); dot.click(); } } }, s("title", {}, dot.label));
}

/** A line of scores: the start, then one per step; what was not kept is left open. */
export function traceChart({ start, steps, gap }) {
  const width = 420, height = 170, left = 62, right = 12, bottom = 34, top = 10;
  const missing = gap ? gap.steps : 0;
  const points = [{ k: 0, score: start.score, label: "start" },
    ...steps.map(([label, score], k) => ({ k: k + 1 + (gap && k >= gap.after ? missing : 0), score, label }))].filter(({ score }) => score !== null);
  if (points.length < 2) return null;
  const low = Math.min(...points.map((p) => p.score)), high = Math.max(...points.map((p) => p.score));
  const last = points[points.length - 1].k;
  const x = (k) => left + (k / last) * (width - left - right);
  const y = (v) => height - bottom - ((v - low) / (high - low || 1)) * (height - bottom - top);
  const chart = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart trace", role: "img", "aria-label": "Score by step of the search" });
  for (const value of low === high ? [low] : [low, (low + high) / 2, high]) {
    chart.append(s("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), class: "grid" }),
      s("text", { x: left - 6, y: y(value) + 3.5, class: "tick", "text-anchor": "end" }, Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 4 })));
  }
  const path = points.map(({ k, score }, i) => {
    const jump = gap && i > 0 && k - points[i - 1].k > missing;
    return `${i === 0 || jump ? "M" : "L"}${x(k).toFixed(1)},${y(score).toFixed(1)}`;
  });
  chart.append(s("path", { d: path.join(""), class: "line strong" }));
  if (points.length <= 60) for (const { k, score, label } of points) chart.append(s("circle", { cx: x(k), cy: y(score), r: 2.6, class: "dot" }, s("title", {}, `${label}: ${score}`)));
  chart.append(s("text", { x: left, y: height - bottom + 15, class: "tick", "text-anchor": "middle" }, "0"),
    s("text", { x: width - right, y: height - bottom + 15, class: "tick", "text-anchor": "end" }, last.toLocaleString("en")),
    s("text", { x: (left + width - right) / 2, y: height - 6, class: "axis", "text-anchor": "middle" }, "Steps"));
  return chart;
}
