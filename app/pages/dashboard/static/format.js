// Numbers and times as people read them; what is not known is a dash, never 0 and never NaN.

export const UNKNOWN = "–";

/** @param {unknown} value @returns {value is number} */
const isKnown = (value) => typeof value === "number" && Number.isFinite(value);

/** A duration with its unit: 83 ms, 1.2 s, 3 min. @param {number | null | undefined} seconds */
export function duration(seconds) {
  if (!isKnown(seconds)) return UNKNOWN;
  if (seconds === 0) return "0 s";
  if (seconds < 1e-3) return `${short(seconds * 1e6)} µs`;
  if (seconds < 1) return `${short(seconds * 1e3)} ms`;
  if (seconds < 120) return `${short(seconds)} s`;
  if (seconds < 7200) return `${short(seconds / 60)} min`;
  return seconds < 172800 ? `${short(seconds / 3600)} h` : `${short(seconds / 86400)} days`;
}

/** Three digits that count: 1,234 or 12.3 or 0.0123. @param {number | null | undefined} value */
export function short(value) {
  if (!isKnown(value)) return UNKNOWN;
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

/** @param {number | null | undefined} value */
export const rate = (value) => (isKnown(value) ? `${short(value)}/s` : UNKNOWN);

/** @param {number | null | undefined} value */
export const percent = (value) => (isKnown(value) ? `${Math.round(value * 100)}%` : UNKNOWN);

/** A part with its sign: +3% or -12%. @param {number | null | undefined} value */
export function signed(value) {
  if (!isKnown(value)) return UNKNOWN;
  const rounded = Math.round(value * 100) || 0;
  return `${rounded > 0 ? "+" : ""}${count(rounded)}%`;
}

/** @param {number | null | undefined} value */
export const count = (value) => (isKnown(value) ? value.toLocaleString("en") : UNKNOWN);

/** How long ago a time is. @param {string | null | undefined} time @param {number} [now] */
export function ago(time, now = Date.now()) {
  if (!time) return UNKNOWN;
  const seconds = (now - Date.parse(time)) / 1000;
  return seconds < 0 ? "now" : `${duration(Math.round(seconds))} ago`;
}

/** A time in UTC, without seconds where they are 0. @param {string | number | null | undefined} time */
export function clock(time) {
  if (time === null || time === undefined) return UNKNOWN;
  const text = new Date(time).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, text.slice(17, 19) === "00" ? 16 : 19)}`;
}

/** `17 → 19`, or the number alone where nothing changes. @param {number | null} from @param {number | null} to */
export function change(from, to) {
  return from === to || !isKnown(to) ? count(from) : `${count(from)} → ${count(to)}`;
}

/** A text in which each word that is written from right to left keeps to itself: numbers beside it stay in order. @param {string} text */
export const sentence = (text) =>
  text.replace(/[^\s,;:()'"]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff][^\s,;:()'"]*/g, "\u2068$&\u2069");
