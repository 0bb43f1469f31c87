// Numbers as people write them: the twin of number_text, styled and value_in_state of bayleaf.data.variable.

const LONG = 12, ALL_DIGITS = 15, FEW_DIGITS = 6;

/** A number with up to 15 digits, or with 6 where that takes 12 characters or more; its minus sign is a hyphen. */
export function plainNumber(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (value === 0) return "0";
  const [mantissa, exponent] = Math.abs(value).toExponential(ALL_DIGITS - 1).split("e");
  const sign = value < 0 ? "-" : "", digits = mantissa.replace(".", "");
  const text = sign + plain(digits, Number(exponent));
  if (text.length < LONG) return text;
  const rounded = String(Math.floor(Number(digits.slice(0, FEW_DIGITS + 1)) / 10 + 0.5)); // half up, as decimals
  const power = Number(exponent) + rounded.length - FEW_DIGITS;
  const short = sign + plain(rounded, power);
  return short.length < LONG ? short : sign + scientific(rounded, power);
}

/** The digits d.ddd times a power of ten, without an exponent. */
function plain(digits, power) {
  const all = power < 0 ? `${"0".repeat(-power)}${digits}` : digits.padEnd(power + 1, "0");
  const point = Math.max(power, 0) + 1, rest = all.slice(point).replace(/0+$/, "");
  return rest ? `${all.slice(0, point)}.${rest}` : all.slice(0, point);
}

function scientific(digits, power) {
  const rest = digits.slice(1).replace(/0+$/, "");
  return `${digits[0]}${rest ? `.${rest}` : ""}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** The digits of a number with the decimal mark and the thousands of its column, and with the minus sign of print. */
export function styled(text, style) {
  const found = /^(-?)([0-9]+)(?:\.([0-9]+))?(e.*)?$/.exec(text);
  if (!found) return text.replace(/^-(?=inf)/, "−");
  const [, sign, digits, rest, exponent = ""] = found, { decimal = ".", thousands = "" } = style ?? {};
  const whole = thousands && !exponent ? digits.replace(/\B(?=([0-9]{3})+$)/g, thousands) : digits;
  return `${sign ? "−" : ""}${whole}${rest ? decimal + rest : ""}${exponent.replace("-", "−")}`;
}

/** A number of a node and the words of its state; their edges have more digits where it would seem to be outside. */
export function placed(node, value, state) {
  if (!node.cuts) return { text: plainNumber(value), label: node.states[state] }; // of a pool, which has many
  const last = node.cuts.length, whole = node.whole && Number.isInteger(value);
  const edges = [node.cuts[state - 1] ?? -Infinity, node.cuts[state] ?? Infinity];
  let texts = [node.cutTexts[state - 1] ?? "-inf", node.cutTexts[state] ?? "inf"], shown = plainNumber(value);
  const limit = (text) => (text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text));
  const isInside = () => limit(texts[0]) < Number(shown) && Number(shown) <= limit(texts[1]);
  if (node.moment || whole || isInside()) return { text: shown, label: node.states[state] };
  texts = edges.map(plainNumber);
  if (!isInside()) [shown, texts] = [String(value), edges.map(String)];
  const [low, high] = texts.map((text) => styled(text, node.style));
  return { text: shown, label: state === 0 ? `≤ ${high}` : state === last ? `> ${low}` : `${low} – ${high}` };
}
