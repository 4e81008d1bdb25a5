// A chart over time or over processors: lines in SVG, a cursor for mouse and keyboard, and the same numbers as a table.
// Values above `cap` are drawn at the upper edge, so that one outlier does not flatten all others; readout and table are
// exact.
import { Folded } from "./folded.js";
import { useNarrow } from "./hooks.js";
import { html, useMemo, useState } from "./view.js";
import { sentence, short } from "./format.js";

const WIDE = 920;
const NARROW = 400;
const HEIGHT = 200;
const LEFT = 56;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 24;

/**
 * @typedef {{name: string, values: (number | null)[], className: string, write?: (v: number | null) => string}} Line
 * @typedef {{name: string, lower: (number | null)[], upper: (number | null)[]}} Band
 * @param {{label: string, xs: number[], writeX: (x: number) => string, lines: Line[], band?: Band | null,
 *   write?: (v: number | null) => string, marks?: {x: number, text: string, label?: string}[], cap?: number | null,
 *   notes?: (string | null)[]}} props notes: what is said of a row of the table
 */
export function Chart({ label, xs, writeX, lines, band = null, write = short, marks = [], cap = null, notes = [] }) {
  const width = useNarrow() ? NARROW : WIDE;
  const [cursor, setCursor] = useState(/** @type {number | null} */ (null));
  const columns = band ? [...lines, ...listBounds(band)] : lines;
  const scale = useMemo(() => findScale(xs, columns, width, cap), [xs, lines, band, width, cap]);
  // What lies before the first point or after the last one would stand beside the chart.
  const shown = marks.filter((one) => one.x >= xs[0] && one.x <= xs[xs.length - 1]);
  const at = cursor === null ? null : Math.min(cursor, xs.length - 1);
  const read = (index) =>
    `${writeX(xs[index])}: ${
      columns.map((one) => `${one.name} ${(one.write ?? write)(one.values[index])}`).join(", ")
    }${notes[index] ? `. ${sentence(notes[index])}` : ""}`;
  const move = (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -1e9, End: 1e9 }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    setCursor(Math.max(0, Math.min(xs.length - 1, (at ?? (steps > 0 ? -1 : xs.length)) + steps)));
  };
  const point = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = scale.minX + (((event.clientX - box.left) / box.width) * width - LEFT) / scale.perX;
    setCursor(findNearest(xs, x));
  };
  const leave = () => setCursor(null);
  if (!xs.length) return html`<p class="quiet">${label}: there is nothing to show yet.</p>`;
  return html`
    <figure class="chart">
      <figcaption>
        ${label}${" "}
        ${scale.isCapped && html`<span class="quiet">(above ${write(scale.top)} at the upper edge)</span>`}${" "}
        ${lines.map((one) =>
          html`<span class="key ${one.className} ${isDotted(one) ? "dots" : ""}">${one.name}</span>${" "}`
        )}
        ${band && html`<span class="key band">${band.name}</span>`}
      </figcaption>
      <svg viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${label}. Arrow keys read its values."
        tabindex="0"
        onKeyDown=${move} onPointerMove=${point} onPointerLeave=${leave} onBlur=${leave}>
          ${scale.ticks.map(
            (tick) =>
              html`
                <g class="grid">
                  <line x1=${LEFT} x2=${width - RIGHT} y1=${scale.y(tick)} y2=${scale.y(tick)} />
                  <text x=${LEFT - 6} y=${scale.y(tick) + 4} text-anchor="end">${write(tick)}</text>
                </g>
              `,
          )}
          ${[0, xs.length - 1].map(
            (index, place) =>
              html`
                <text class="axis" x=${place ? width - RIGHT : LEFT} y=${HEIGHT - 6}
                  text-anchor=${place ? "end" : "start"}>${xs.length > 1 || !place ? writeX(xs[index]) : ""}</text>
              `,
          )}
          ${shown.map((one, place) =>
            html`
              <line class="mark" x1=${scale.x(one.x)} x2=${scale.x(one.x)} y1=${TOP} y2=${HEIGHT - BOTTOM}>
                <title>${one.text}</title>
              </line>
              ${one.label && html`
                <text class="mark-label" x=${scale.x(one.x) + 4} y=${TOP +
                  (isClose(shown, place, scale) ? 25 : 12)}>${one.label}</text>
              `}
            `
          )}
          ${band && html`<path class="band" d=${drawBand(xs, band, scale)} />`}
          ${lines.map((one) => html`<path class="line ${one.className}" d=${drawPath(xs, one.values, scale)} />`)}
          ${lines.map((one) =>
            html`<path class="line alone ${one.className}" d=${drawAlone(xs, one.values, scale)} />`
          )}
          ${at !== null && html`<${Cursor} xs=${xs} lines=${lines} at=${at} scale=${scale} />`}
        </svg>
      <p class="readout" aria-live="polite">${at === null ? " " : read(at)}</p>
      <${Folded} summary="As a table" draw=${() =>
        html`<${ChartTable} xs=${xs} writeX=${writeX} lines=${columns} write=${write} notes=${notes} />`} />
    </figure>
  `;
}

/** The numbers of a chart. */
function ChartTable({ xs, writeX, lines, write, notes }) {
  const isNoted = notes.some(Boolean);
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table>
        <thead>
          <tr>
            <th scope="col">at</th>
            ${lines.map((one) => html`<th scope="col">${one.name}</th>`)} ${isNoted && html`<th scope="col">note</th>`}
          </tr>
        </thead>
        <tbody>
          ${xs.map((x, place) =>
            html`
              <tr>
                <th scope="row">${writeX(x)}</th>
                ${lines.map((one) => html`<td>${(one.write ?? write)(one.values[place])}</td>`)}
                ${isNoted && html`<td>${sentence(notes[place] ?? "")}</td>`}
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** The upright line at the cursor, with a dot on each line. */
function Cursor({ xs, lines, at, scale }) {
  const x = scale.x(xs[at]);
  const known = lines.filter((one) => isNumber(one.values[at]));
  return html`
    <g>
      <line class="cursor" x1=${x} x2=${x} y1=${TOP} y2=${HEIGHT - BOTTOM} />
      ${known.map((one) => html`<circle class="dot ${one.className}" r="3.5" cx=${x} cy=${scale.y(one.values[at])} />`)}
    </g>
  `;
}

/** Whether the label of a mark would hide that of the mark before it. */
function isClose(marks, place, scale) {
  return place > 0 && Math.abs(scale.x(marks[place].x) - scale.x(marks[place - 1].x)) < 70;
}

/** @param {unknown} value @returns {value is number} */
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** @param {number[]} xs @param {Line[]} lines @param {number} width @param {number | null} cap */
function findScale(xs, lines, width, cap) {
  const minX = xs[0] ?? 0;
  const maxX = xs[xs.length - 1] ?? 1;
  const values = lines.flatMap((one) => one.values).filter(isNumber);
  const highest = values.reduce((most, one) => Math.max(most, one), 0) || 1;
  const isCapped = cap !== null && highest > cap;
  const top = isCapped ? cap : highest;
  const step = findStep(top / 4);
  const maxY = Math.ceil(top / step) * step;
  const perX = (width - LEFT - RIGHT) / (maxX - minX || 1);
  const perY = (HEIGHT - TOP - BOTTOM) / maxY;
  const ticks = [];
  for (let i = 0; i * step <= maxY * 1.0001; i += 1) ticks.push(i * step);
  return {
    minX,
    perX,
    ticks,
    x: (x) => round(LEFT + (x - minX) * perX),
    y: (y) => round(HEIGHT - BOTTOM - Math.min(y, maxY) * perY),
    top: maxY,
    isCapped,
  };
}

/** 1, 2 or 5 times a power of ten, at least `least`. @param {number} least */
function findStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least * 0.999) ?? power;
}

/** A line with gaps where values are not known. */
function drawPath(xs, values, scale) {
  return values.map((value, index) => {
    if (!isNumber(value)) return "";
    return `${isNumber(values[index - 1]) ? "L" : "M"}${scale.x(xs[index])} ${scale.y(value)}`;
  }).join("");
}

/** The bounds of a band as columns of the table and of the readout. @param {Band} band @returns {Line[]} */
const listBounds = (band) => [
  { name: "lower", values: band.lower, className: "" },
  { name: "upper", values: band.upper, className: "" },
];

/** The area between the bounds, where both are known. @param {number[]} xs @param {Band} band */
function drawBand(xs, band, scale) {
  const known = xs.map((_, index) => index).filter((at) => isNumber(band.lower[at]) && isNumber(band.upper[at]));
  const place = (at, values) => `${scale.x(xs[at])} ${scale.y(values[at])}`;
  const there = known.map((at) => place(at, band.upper));
  const back = known.toReversed().map((at) => place(at, band.lower));
  return known.length ? `M${[...there, ...back].join("L")}Z` : "";
}

/** Whether a line is drawn as dots alone, since no two known values stand beside each other. @param {Line} line */
const isDotted = ({ values }) =>
  values.some(isNumber) && !values.some((one, at) => isNumber(one) && isNumber(values[at + 1]));

/** A dot for each value that stands between two gaps. */
function drawAlone(xs, values, scale) {
  return values.map((value, index) => {
    if (!isNumber(value) || isNumber(values[index - 1]) || isNumber(values[index + 1])) return "";
    return `M${scale.x(xs[index])} ${scale.y(value)}h0.01`;
  }).join("");
}

/** @param {number[]} xs @param {number} x */
function findNearest(xs, x) {
  let best = 0;
  xs.forEach((one, index) => {
    if (Math.abs(one - x) < Math.abs(xs[best] - x)) best = index;
  });
  return best;
}

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;

/** A small line without axes. @param {{values: number[], label: string}} props */
export function Sparkline({ values, label }) {
  if (values.length < 2) return html`<span class="quiet">–</span>`;
  const top = Math.max(...values) || 1;
  const points = values.map((one, i) => `${round((i / (values.length - 1)) * 96 + 2)},${round(22 - (one / top) * 20)}`);
  return html`
    <svg class="spark" viewBox="0 0 100 24" role="img" aria-label=${label}>
      <polyline points=${points.join(" ")} />
    </svg>
  `;
}
