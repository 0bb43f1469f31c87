// Texts as numbers: what people type, with either decimal mark, and what files hold, by the rules of bayleaf.data.

import { plainNumber, styled } from "./numerals.js";

export const NO_NUMBER = "This is not a number.";
const SPELLINGS = { "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2212": "-", "\u2019": "'" };
const TYPED = /^([-+]?)([0-9][0-9.,]*|[.,][0-9]+)(e[-+]?[0-9]+)?$/i;

/** Blanks, minus signs and apostrophes of print as those of a keyboard. */
function spelled(text) {
  return text.replace(/[\u00a0\u2009\u202f\u2212\u2019]/g, (mark) => SPELLINGS[mark]).trim();
}

/**
 * A number that was typed: { value, echo } or { problem }. Points and commas may both be decimal. The echo says what was
 * read, where the text is not written as the page writes numbers; what may be two numbers is refused.
 */
export function typedNumber(text, style) {
  const joined = spelled(text).replace(/(?<=[0-9])[ '](?=[0-9]{3}(?![0-9]))/g, "");
  const found = TYPED.exec(joined);
  if (!found) return { problem: NO_NUMBER };
  const [, sign, digits, exponent = ""] = found, number = (plain) => Number(`${sign}${plain}${exponent}`);
  const marks = [...digits].filter((each) => each === "." || each === ",");
  const own = style?.decimal ?? ".", last = marks.at(-1);
  const isGrouped = (part, mark) => new RegExp(`^[0-9]{1,3}(?:\\${mark}[0-9]{3})+$`).test(part);
  const [whole, rest] = last ? [digits.slice(0, digits.lastIndexOf(last)), digits.slice(digits.lastIndexOf(last) + 1)] : [digits, ""];
  let value;
  if (marks.length <= 1 || marks.every((mark) => mark === last)) {
    if (marks.length > 1) value = isGrouped(digits, last) ? number(digits.replaceAll(last, "")) : NaN;
    else if (marks.length === 1 && last !== own && /^[1-9][0-9]{0,2}.[0-9]{3}$/.test(digits)) {
      if (style?.thousands !== last) return { problem: `${text.trim()} may be ${styled(whole + rest, style)} or ${styled(`${whole}.${rest}`, style)}: write one of these.` };
      value = number(whole + rest);
    } else value = number(`${whole}.${rest}`);
  } else {
    const other = last === "." ? "," : ".";
    value = !whole.includes(last) && isGrouped(whole, other) ? number(`${whole.replaceAll(other, "")}.${rest}`) : NaN;
  }
  if (!Number.isFinite(value)) return { problem: NO_NUMBER };
  const asWritten = (each) => styled(each, style).replace("−", "-");
  const isPlain = joined === spelled(text) && marks.length <= 1 && (!last || last === own);
  return { value, echo: isPlain ? null : `read as ${asWritten(plainNumber(value))}` };
}

/** A number as a field holds it for editing: with all its digits and the decimal mark of its column. */
export function fieldText(value, style) {
  return styled(String(Number(value.toPrecision(15))), style ? { decimal: style.decimal } : null).replaceAll("−", "-");
}

/** The number that a text of a file is by the marks and the unit of its column; NaN where it is none. */
export function numberOfText(text, { decimal = ".", thousands = "", unit = "" } = {}) {
  const quoted = (mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const own = unit ? `(?:${quoted(unit)})?` : "";
  const parts = new RegExp(`^(\\()? ?([-+])? ?(${own}) ?([-+])? ?((?=[.,]?[0-9])[0-9.,](?:[0-9.,' ]*[0-9.,])?(?:[eE][-+]?[0-9]+)?) ?(${own}) ?(-)? ?(\\))?$`).exec(spelled(text));
  if (!parts) return NaN;
  const [, opened, sign, before, inner, digits, after, behind, closed] = parts;
  const signs = [opened, sign, inner, behind].filter((mark) => mark !== undefined);
  if (signs.length > 1 || (opened === undefined) !== (closed === undefined) || (before && after)) return NaN;
  const mark = quoted(decimal), grouped = thousands ? `[1-9][0-9]{0,2}(?:${quoted(thousands)}[0-9]{3})+|` : "";
  if (!new RegExp(`^(?:(?:${grouped}[0-9]+)(?:${mark}[0-9]*)?|${mark}[0-9]+)(?:[eE][-+]?[0-9]+)?$`).test(digits)) return NaN;
  const plain = Number((thousands ? digits.replaceAll(thousands, "") : digits).replace(decimal, "."));
  const value = signs.length && signs[0] !== "+" ? -plain : plain;
  return Number.isFinite(value) ? value : NaN;
}
