// Where values stand in a chart: scales, ticks of numbers and of times, and the paths of lines and bands.

export const HEIGHT = 190;
export const LEFT = 60;
export const RIGHT = 14;
export const TOP = 12;
export const BOTTOM = 24;
const MOST_Y_TICKS = 4;
const X_TICK_WIDTH = 105;
/** Of a broken axis: the height of its upper part, and of the break below it. */
const UPPER = 26;
const BREAK = 14;

/** @param {unknown} value @returns {value is number} */
export const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;

/** @typedef {ReturnType<typeof findScale>} Scale */

/**
 * @param {{xs: number[], columns: {values: (number | null)[]}[], width: number, cap: number | null,
 *   domain: [number, number] | null, isTime: boolean}} of
 */
export function findScale({ xs, columns, width, cap, domain, isTime }) {
  const minX = domain?.[0] ?? xs[0] ?? 0;
  const maxX = domain?.[1] ?? xs[xs.length - 1] ?? 1;
  const highest = columns.reduce(
    (most, one) =>
      one.values.reduce((/** @type {number} */ top, value) => isNumber(value) ? Math.max(top, value) : top, most),
    0,
  ) || 1;
  const top = cap === null ? highest : Math.min(cap, highest);
  const step = findStep(top / MOST_Y_TICKS);
  const maxY = Math.ceil(top / step) * step;
  const isBroken = highest > maxY;
  const perX = (width - LEFT - RIGHT) / (maxX - minX || 1);
  // Above a break the axis goes on to the highest value, with a scale of its own.
  const lower = isBroken ? UPPER + BREAK : 0;
  const perY = (HEIGHT - TOP - BOTTOM - lower) / maxY;
  const above = highest - maxY;
  const ticks = [];
  for (let i = 0; i * step <= maxY * 1.0001; i += 1) ticks.push(i * step);
  const mostX = Math.max(2, Math.floor((width - LEFT - RIGHT) / X_TICK_WIDTH));
  return {
    minX,
    maxX,
    perX,
    ticks,
    xTicks: isTime ? listTimes(minX, maxX, mostX) : listWholes(minX, maxX, mostX),
    x: (/** @type {number} */ x) => round(LEFT + (x - minX) * perX),
    y: (/** @type {number} */ y) =>
      round(isBroken && y > maxY ? TOP + UPPER * (1 - (y - maxY) / above) : HEIGHT - BOTTOM - Math.min(y, maxY) * perY),
    /** The place on the axis under a pixel. */
    at: (/** @type {number} */ pixel) => Math.min(maxX, Math.max(minX, minX + (pixel - LEFT) / perX)),
    top: maxY,
    highest,
    /** Where the axis is broken; null: nowhere. */
    breakAt: isBroken ? TOP + UPPER + BREAK / 2 : null,
  };
}

/** 1, 2 or 5 times a power of ten, at least `least`. @param {number} least */
function findStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least * 0.999) ?? power;
}

/** @param {number} from @param {number} to @param {number} most */
function listWholes(from, to, most) {
  const step = Math.max(1, findStep((to - from) / most || 1));
  const ticks = [];
  for (let x = Math.ceil(from / step) * step; x <= to; x += step) ticks.push({ x, text: x.toLocaleString("en") });
  return ticks;
}

const MINUTE = 60000;
const DAY = 1440 * MINUTE;
const TIME_STEPS = [5000, 15000, 30000, ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((one) => one * MINUTE)]
  .concat([1, 2, 7, 14, 30, 90, 365].map((one) => one * DAY));
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Whole times in UTC; the first one, and each midnight, has its date. @param {number} from @param {number} to @param {number} most */
export function listTimes(from, to, most) {
  const step = TIME_STEPS.find((one) => (to - from) / one <= most) ?? TIME_STEPS[TIME_STEPS.length - 1];
  const ticks = [];
  for (let x = Math.ceil(from / step) * step; x <= to; x += step) {
    const time = new Date(x);
    const day = `${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]}`;
    const hour = time.toISOString().slice(11, step < MINUTE ? 19 : 16);
    const isDay = x % DAY === 0;
    ticks.push({ x, text: isDay || step >= DAY ? day : ticks.length ? hour : `${day} ${hour}` });
  }
  return ticks;
}

/** A line with gaps where values are not known. @param {number[]} xs @param {(number | null)[]} values @param {Scale} scale */
export function drawPath(xs, values, scale) {
  return values.map((value, index) => {
    if (!isNumber(value)) return "";
    return `${isNumber(values[index - 1]) ? "L" : "M"}${scale.x(xs[index])} ${scale.y(value)}`;
  }).join("");
}

/** A dot for each value that stands between two gaps. @param {number[]} xs @param {(number | null)[]} values @param {Scale} scale */
export function drawAlone(xs, values, scale) {
  return values.map((value, index) => {
    if (!isNumber(value) || isNumber(values[index - 1]) || isNumber(values[index + 1])) return "";
    return `M${scale.x(xs[index])} ${scale.y(value)}h0.01`;
  }).join("");
}

/**
 * The area between the bounds, where both are known.
 * @param {number[]} xs @param {{lower: (number | null)[], upper: (number | null)[]}} band @param {Scale} scale
 */
export function drawBand(xs, band, scale) {
  const known = xs.map((_, index) => index).filter((at) => isNumber(band.lower[at]) && isNumber(band.upper[at]));
  const place = (at, values) => `${scale.x(xs[at])} ${scale.y(values[at])}`;
  const there = known.map((at) => place(at, band.upper));
  const back = known.toReversed().map((at) => place(at, band.lower));
  return known.length ? `M${[...there, ...back].join("L")}Z` : "";
}

/** The index of the value nearest to x. @param {number[]} xs @param {number} x */
export function findNearest(xs, x) {
  let best = 0;
  xs.forEach((one, index) => {
    if (Math.abs(one - x) < Math.abs(xs[best] - x)) best = index;
  });
  return best;
}
