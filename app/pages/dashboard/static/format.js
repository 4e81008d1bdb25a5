// Numbers and times as people read them, by the rules of planner/wording.py: a measured number has three significant
// digits and a unit, a count has all its digits, and what is not known is a dash, never 0 and never NaN. A test writes one
// table of values with both.

export const UNKNOWN = "–";
export const UNBOUNDED = "unbounded";
const DIGITS = 3;
const DAY_SECONDS = 86400;

/** Each with its number per second, and the number from which on the next unit is taken. @type {[string, number, number][]} */
const SHORT_UNITS = [["ns", 1e9, 1000], ["µs", 1e6, 1000], ["ms", 1e3, 1000]];

/** Each with its length in seconds, and the number from which on the next unit is taken. @type {[string, number, number][]} */
const LONG_UNITS = [["s", 1, 120], ["min", 60, 60], ["h", 3600, 48]];

/** @param {unknown} value @returns {value is number} */
const isKnown = (value) => typeof value === "number" && Number.isFinite(value);

/** 1,230 or 12.3 or 0.0123; far from 1 as 1.2e+12. @param {number | null | undefined} value */
export function short(value, digits = DIGITS) {
  if (!isKnown(value)) return UNKNOWN;
  const rounded = Number(value.toPrecision(digits));
  if (rounded === 0) return "0";
  return Math.abs(rounded) >= 1e-6 && Math.abs(rounded) < 1e9
    ? rounded.toLocaleString("en", { maximumFractionDigits: 20 })
    : rounded.toExponential();
}

/** A duration with its unit: 180 ms, 1.2 s, 4 min, 3 h, 2 days. @param {number | null | undefined} seconds */
export function duration(seconds) {
  if (!isKnown(seconds)) return UNKNOWN;
  if (Math.abs(seconds) < 1e-9) return `${short(seconds)} s`;
  const isBelow = (value, limit) => Math.abs(Number(value.toPrecision(DIGITS))) < limit;
  for (const [unit, perSecond, limit] of SHORT_UNITS) {
    if (isBelow(seconds * perSecond, limit)) return `${short(seconds * perSecond)} ${unit}`;
  }
  for (const [unit, length, limit] of LONG_UNITS) {
    if (isBelow(seconds / length, limit)) return `${short(seconds / length)} ${unit}`;
  }
  return `${short(seconds / DAY_SECONDS)} days`;
}

/** @param {number | null | undefined} value */
export const rate = (value) => (isKnown(value) ? `${short(value)}/s` : UNKNOWN);

/** A limit, never written above itself: 336/s for 336.517. @param {number | null | undefined} value */
export const rateLimit = (value) =>
  isKnown(value) ? rate(Number(value.toExponential().replace(/(\.\d\d)\d+/, "$1"))) : UNKNOWN;

/** 62% or 4.2%; just below 1 it is `above 99%`, since 100% would be wrong. @param {number | null | undefined} value */
export function percent(value) {
  if (!isKnown(value)) return UNKNOWN;
  if (value >= 0.995 && value < 1) return "above 99%";
  return `${short(100 * value, Math.abs(100 * value) < 99.5 ? 2 : DIGITS)}%`;
}

/**
 * The name of the rate up to which processors are enough: 28 processors meet the target up to.
 * @param {number} total @param {boolean} hasTarget
 */
export function nameReach(total, hasTarget) {
  const s = total === 1 ? "s" : "";
  return `${counted(total, "processor")} ${hasTarget ? `meet${s} the target up to` : `keep${s} up with at most`}`;
}

/** A part with its sign: +3% or -12%; from 11 times as much on, 140 times. @param {number | null | undefined} value */
export const signed = (value) =>
  isKnown(value) && value >= 10
    ? `${short(1 + value)} times`
    : `${isKnown(value) && value > 0 ? "+" : ""}${percent(value)}`;

/** @param {number | null | undefined} value */
export const count = (value) => (isKnown(value) ? value.toLocaleString("en") : UNKNOWN);

/** 1 snapshot, 1,200 snapshots. @param {number} many @param {string} noun */
export const counted = (many, noun) => `${count(many)} ${many === 1 ? noun : `${noun}s`}`;

/** The measured time that a number is of. @param {number} many */
export const snapshots = (many) => many === 1 ? "newest snapshot" : `mean of the newest ${counted(many, "snapshot")}`;

/** What a decision does, by its action. @type {Record<string, string>} */
export const ACTIONS = { hold: "keep", scale_up: "more", scale_down: "fewer", rebalance: "another split" };

/** How long ago something was, in whole seconds, minutes, hours or days: 3 s ago, or now. @param {number} seconds */
export function age(seconds) {
  const whole = Math.floor(seconds + 0.5);
  const unit = whole < 120 ? 1 : whole < 3600 ? 60 : whole < 172800 ? 3600 : 86400;
  return whole > 0 ? `${duration(Math.floor(whole / unit + 0.5) * unit)} ago` : "now";
}

/** How long ago a time is. @param {string | null | undefined} time @param {number} [now] */
export const ago = (time, now = Date.now()) => (time ? age((now - Date.parse(time)) / 1000) : UNKNOWN);

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
