// Which part of time the charts show: the last hours or days, or a part that is picked or drawn over. The address holds it.
import { html } from "./view.js";

/** @typedef {{range: string, from: string, to: string}} Range either a length until now, or two times; all empty: a day */

const HOUR = 3600000;
/** @type {[string, string, number][]} */
const LENGTHS = [
  ["1h", "1 h", HOUR],
  ["6h", "6 h", 6 * HOUR],
  ["24h", "24 h", 24 * HOUR],
  ["7d", "7 d", 168 * HOUR],
  ["30d", "30 d", 720 * HOUR],
];
const USUAL = "24h";
/** So many points are asked for at most. */
export const POINTS = 288;

/** @param {URLSearchParams} query @returns {Range} */
export function readRange(query) {
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  const isPart = Number.isFinite(Date.parse(from)) && Number.isFinite(Date.parse(to)) &&
    Date.parse(from) < Date.parse(to);
  const range = readLength(query);
  return isPart ? { range: "", from, to } : { range: range === USUAL ? "" : range, from: "", to: "" };
}

/** The length in the address; "" where there is none. @param {URLSearchParams} query */
export function readLength(query) {
  const range = query.get("range") ?? "";
  return LENGTHS.some(([key]) => key === range) ? range : "";
}

/** The part of the address that says the range. @param {Range} range */
export const writeRange = ({ range, from, to }) =>
  Object.fromEntries(Object.entries({ range, from, to }).filter(([, value]) => value));

/**
 * The query of a series. A range until now begins at a whole step, so that it is asked anew only when a point is added.
 * @param {Range} range @param {number} now
 * @returns {Record<string, string>}
 */
export function askRange({ range, from, to }, now) {
  if (from) return { from, to };
  const length = LENGTHS.find(([key]) => key === range)?.[2];
  if (!length) return {};
  const step = Math.max(60000, length / POINTS);
  return { from: new Date(Math.floor(now / step) * step - length).toISOString() };
}

/** A button for each length until now. @param {{chosen: string, onPick: (key: string) => void}} props */
export const Lengths = ({ chosen, onPick }) =>
  LENGTHS.map(([key, text]) =>
    html`<button aria-pressed=${key === chosen} onClick=${() => onPick(key)}>${text}</button>`
  );

/** @param {{range: Range, onRange: (range: Range) => void}} props */
export function RangePicker({ range, onRange }) {
  const chosen = range.from ? "" : range.range || USUAL;
  const pick = (key) => onRange({ range: key === USUAL ? "" : key, from: "", to: "" });
  const local = (time) => (time ? new Date(time).toISOString().slice(0, 16) : "");
  const set = (part) => {
    const next = { ...range, range: "", ...part };
    const [from, to] = [next.from || next.to, next.to || next.from].map((one) => Date.parse(one));
    const length = from < to ? 0 : 24 * HOUR; // the other end follows, a day away
    onRange({
      range: "",
      from: new Date(part.to ? Math.min(from, to - length) : from).toISOString(),
      to: new Date(part.from ? Math.max(to, from + length) : to).toISOString(),
    });
  };
  return html`
    <div class="row ranges" role="group" aria-label="Time that the charts show">
      <${Lengths} chosen=${chosen} onPick=${pick} />
      <label>from <input type="datetime-local" value=${local(range.from)} max=${local(range.to)}
        onChange=${(event) => event.target.value && set({ from: `${event.target.value}Z` })} /></label>
      <label>to (UTC) <input type="datetime-local" value=${local(range.to)} min=${local(range.from)}
        onChange=${(event) => event.target.value && set({ to: `${event.target.value}Z` })} /></label>
    </div>
  `;
}
