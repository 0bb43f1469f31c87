// Texts as dates and times, as bayleaf.data reads them: written as in the training data, or by ISO 8601.

const DAY = 86400, MICRO = 1e6, ISO = "%Y-%m-%d", TIME = "%H:%M";
const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const SHAPES = {
  "%Y-%m-%d": /^(?<Y>\d{4})-(?<m>\d{2})-(?<d>\d{2})$/,
  "%Y/%m/%d": /^(?<Y>\d{4})\/(?<m>\d{1,2})\/(?<d>\d{1,2})$/,
  "%Y.%m.%d": /^(?<Y>\d{4})\.(?<m>\d{1,2})\.(?<d>\d{1,2})$/,
  "%d.%m.%Y": /^(?<d>\d{1,2})\.(?<m>\d{1,2})\.(?<Y>\d{4})$/,
  "%d/%m/%Y": /^(?<d>\d{1,2})\/(?<m>\d{1,2})\/(?<Y>\d{4})$/,
  "%m/%d/%Y": /^(?<m>\d{1,2})\/(?<d>\d{1,2})\/(?<Y>\d{4})$/,
  "%d-%m-%Y": /^(?<d>\d{1,2})-(?<m>\d{1,2})-(?<Y>\d{4})$/,
  "%m-%d-%Y": /^(?<m>\d{1,2})-(?<d>\d{1,2})-(?<Y>\d{4})$/,
  "%d-%B-%Y": /^(?<d>\d{1,2})-(?<B>[A-Za-z]{3,9})-(?<Y>\d{4})$/,
  "%d %B %Y": /^(?<d>\d{1,2}) (?<B>[A-Za-z]{3,9}) (?<Y>\d{4})$/,
  "%B %d, %Y": /^(?<B>[A-Za-z]{3,9}) (?<d>\d{1,2}), (?<Y>\d{4})$/,
};
const CLOCK = "(\\d{1,2}):(\\d{2})(?::(\\d{2}(?:[.,]\\d{1,9})?))?(?: ?([AaPp])\\.?[Mm]\\.?)?";
const TIME_OF_DAY = new RegExp(`^${CLOCK}$`);
const AFTER_DATE = new RegExp(`^[ T]${CLOCK}(?: ?(Z|UTC|[+-]\\d{2}:?\\d{2}))?$`);

/**
 * The different texts of a column as numbers of a model's column of dates or times: a Map; NaN is what cannot be read.
 * Texts in two ways of writing, or of which only some have a time zone, are not read together.
 */
export function momentsOfTexts(texts, { dtype, spelling, zone }) {
  const usual = dtype === "time" ? TIME : ISO, wanted = spelling ?? usual;
  let own = dtype === "duration" ? null : readDates(texts, wanted);
  const other = own && isComplete(own) || wanted === usual ? own : readDates(texts, usual);
  if (own && other && own.dtype === other.dtype && own.zone === other.zone) own = { ...own, values: own.values.map((value, k) => (Number.isNaN(value) ? other.values[k] : value)) };
  const read = [own, other].find((each) => each && isComplete(each)) ?? own;
  const none = () => new Map(texts.map((text) => [text, NaN]));
  if (!read) return none();
  const counted = asCounted(read, dtype, zone);
  return counted ? new Map(texts.map((text, k) => [text, counted[k]])) : none();
}

const isComplete = ({ values }) => !values.some(Number.isNaN);

/** The texts in one way of writing: { dtype, values, zone }; null where some have a time zone and others none. */
function readDates(texts, spelling) {
  if (spelling === TIME) return { dtype: "time", values: texts.map((text) => clockSeconds(TIME_OF_DAY.exec(text))), zone: null };
  const read = texts.map((text) => {
    const colon = text.indexOf(":");
    const place = colon < 0 ? text.length : colon - (" T".includes(text[Math.max(colon - 3, 0)]) ? 3 : 2);
    return { day: dayNumber(SHAPES[spelling].exec(text.slice(0, place))?.groups), clock: text.slice(place) };
  });
  if (!read.some(({ clock }) => clock)) return { dtype: "date", values: read.map(({ day }) => day), zone: null };
  for (const each of read) {
    const found = AFTER_DATE.exec(each.clock);
    each.zone = found?.[5];
    const seconds = each.clock ? clockSeconds(found) : 0;
    each.seconds = Math.round((each.day * DAY + seconds) * MICRO) / MICRO;
  }
  const zones = new Set(read.filter(({ zone }) => zone).map(({ zone }) => offsetOf(zone)));
  if (!zones.size) return { dtype: "datetime", values: read.map(({ seconds }) => seconds), zone: null };
  if (read.some(({ zone, seconds }) => !zone && !Number.isNaN(seconds))) return null;
  const values = read.map(({ seconds, zone }) => (zone ? seconds - secondsAhead(offsetOf(zone)) : NaN));
  const only = zones.size === 1 ? [...zones][0] : "+00:00";
  return { dtype: "datetime", values, zone: only.slice(1) === "00:00" ? "UTC" : only };
}

/** The offset of a zone in one spelling: Z as +00:00, -0330 as -03:30. */
function offsetOf(zone) {
  return zone === "Z" || zone === "UTC" ? "+00:00" : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
}

function secondsAhead(offset) {
  const ahead = Number(offset.slice(1, 3)) * 3600 + Number(offset.slice(4)) * 60;
  return offset[0] === "-" ? -ahead : ahead;
}

/** Days since 1970; NaN where there is no such day. */
function dayNumber(parts) {
  if (!parts) return NaN;
  const name = parts.B?.toLowerCase();
  const month = name === undefined ? Number(parts.m) : MONTHS.findIndex((each) => name === each || name === each.slice(0, 3)) + 1;
  const date = new Date(0), year = Number(parts.Y), day = Number(parts.d);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / 864e5 : NaN;
}

/** Seconds since midnight; NaN where there is no such time. */
function clockSeconds(found) {
  if (!found) return NaN;
  let hours = Number(found[1]);
  const minutes = Number(found[2]), seconds = Number((found[3] ?? "0").replace(",", ".")), half = found[4];
  if (hours > 23 || minutes > 59 || seconds >= 60 || (half && (hours < 1 || hours > 12))) return NaN;
  if (half) hours = (hours % 12) + (/p/i.test(half) ? 12 : 0);
  return hours * 3600 + minutes * 60 + seconds;
}

/** What was read as the model counts it, by the clocks of its time zone; null for another kind of dates or times. */
function asCounted({ dtype, values, zone }, wanted, wantedZone) {
  if (dtype === "time" || wanted === "time") return dtype === wanted ? values : null;
  if (dtype === "date") return wanted === "date" ? values : values.map((day) => day * DAY);
  const seconds = zone === null ? values : values.map((value) => shownByClock(value, wantedZone ?? zone));
  return wanted === "date" ? seconds.map((value) => Math.floor(value / DAY)) : seconds;
}

/** What a clock in a time zone shows at a moment that is counted in UTC. */
function shownByClock(seconds, zone) {
  if (zone === "UTC" || Number.isNaN(seconds)) return seconds;
  if (/^[+-]\d{2}:?\d{2}$/.test(zone)) return seconds + secondsAhead(offsetOf(zone));
  const whole = Math.floor(seconds);
  const parts = Object.fromEntries(clockOf(zone).formatToParts(new Date(whole * 1000)).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) / 1000 + (seconds - whole);
}

const clocks = new Map();

function clockOf(zone) {
  if (!clocks.has(zone)) clocks.set(zone, new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" }));
  return clocks.get(zone);
}

/** The number of the weekday, month or hour of a date or time; -1 where it is unknown. */
export function partOfMoment(part, number, dtype) {
  if (Number.isNaN(number)) return -1;
  const days = Math.floor(dtype === "datetime" ? number / DAY : number);
  if (part === "weekday") return (((days + 3) % 7) + 7) % 7;
  if (part === "month") return new Date(days * 864e5).getUTCMonth();
  return Math.floor((number - days * DAY) / 3600);
}
