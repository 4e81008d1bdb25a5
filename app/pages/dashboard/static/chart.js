// A chart over time or over processors: lines in SVG, a cursor for mouse and keyboard, and the same numbers as a table.
// Above `cap` the axis is broken and goes on with a scale of its own, so that one outlier does not flatten all others.
import { makeCursor, useCursor } from "./cursor.js";
import { Folded } from "./folded.js";
import { sentence, short } from "./format.js";
import { useWidth } from "./hooks.js";
import {
  BOTTOM,
  drawAlone,
  drawBand,
  drawPath,
  findNearest,
  findScale,
  HEIGHT,
  isNumber,
  LEFT,
  RIGHT,
  TOP,
} from "./scales.js";
import { html, useMemo, useState } from "./view.js";

const LEAST_DRAG = 8;
const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -1e9, End: 1e9 };

/**
 * @typedef {{name: string, values: (number | null)[], className: string, write?: (v: number | null) => string}} Line
 * @typedef {{name: string, lower: (number | null)[], upper: (number | null)[]}} Band
 * @typedef {{from: number, to: number}} Part of the axis
 * @typedef {{x: number, text: string, label?: string}} Mark
 * @param {{label: string, xs: number[], writeX: (x: number) => string, lines: Line[], band?: Band | null,
 *   write?: (v: number | null) => string, marks?: Mark[], cap?: number | null, isTime?: boolean,
 *   domain?: [number, number] | null, gaps?: Part[], notes?: (string | null)[], cursor?: import("./cursor.js").Cursor,
 *   onZoom?: ((part: Part) => void) | null}} props
 * notes: what is said of a row of the table
 */
export function Chart(props) {
  const { label, xs, writeX, lines, band = null, write = short, marks = [], cap = null } = props;
  const { isTime = false, domain = null, gaps = [], notes = [], onZoom = null } = props;
  const own = useMemo(makeCursor, []);
  const cursor = props.cursor ?? own;
  const [figure, width] = useWidth();
  const [isActive, setActive] = useState(false);
  const columns = band ? [...lines, ...listBounds(band)] : lines;
  const scale = useMemo(() => findScale({ xs, columns, width, cap, domain, isTime }), [
    xs,
    lines,
    band,
    width,
    cap,
    domain,
  ]);
  // What lies before the first point or after the last one would stand beside the chart.
  const shown = marks.filter((one) => one.x >= scale.minX && one.x <= scale.maxX);
  if (!xs.length) return html`<p class="quiet">${label}: there is nothing to show yet.</p>`;
  return html`
    <figure class="chart" ref=${figure} onFocusIn=${() => setActive(true)} onFocusOut=${() => setActive(false)}>
      <${Caption} label=${label} scale=${scale} lines=${lines} band=${band} write=${write} />
      <svg viewBox="0 0 ${width} ${HEIGHT}" role="img" tabindex="0" class=${onZoom ? "zooms" : ""}
        aria-label="${label}. Arrow keys read its values." ...${listen({ xs, scale, width, cursor, onZoom })}>
        <${Axes} scale=${scale} width=${width} write=${write} />
        ${gaps.map((one) => html`<${Gap} of=${one} scale=${scale} />`)}
        ${shown.map((one, place) =>
          html`<${MarkLine} marks=${shown} place=${place} scale=${scale} key=${`${one.x} ${place}`} />`
        )}
        ${band && html`<path class="band" d=${drawBand(xs, band, scale)} />`}
        ${lines.map((one) => html`<path class="line ${one.className}" d=${drawPath(xs, one.values, scale)} />`)}
        ${lines.map((one) => html`<path class="line alone ${one.className}" d=${drawAlone(xs, one.values, scale)} />`)}
        <${CursorLine} xs=${xs} lines=${lines} cursor=${cursor} scale=${scale} />
      </svg>
      <${Readout} xs=${xs} columns=${columns} cursor=${cursor} writeX=${writeX} write=${write}
        notes=${notes} isActive=${isActive} />
      <${Folded} summary="As a table" draw=${() =>
        html`<${ChartTable} xs=${xs} writeX=${writeX} lines=${columns} write=${write} notes=${notes} />`} />
    </figure>
  `;
}

/** What keys and pointers do: they move the cursor, and a drag picks a part of the axis. */
function listen({ xs, scale, width, cursor, onZoom }) {
  const find = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    return scale.at(((event.clientX - box.left) / box.width) * width);
  };
  const leave = () => cursor.set({ x: null, from: null });
  return {
    onKeyDown: (event) => {
      const steps = STEPS[event.key];
      if (event.key === "Escape") leave();
      if (steps === undefined) return;
      event.preventDefault();
      const { x } = cursor.read();
      const at = x === null ? (steps > 0 ? -1 : xs.length) : findNearest(xs, x);
      cursor.set({ x: xs[Math.max(0, Math.min(xs.length - 1, at + steps))] });
    },
    onPointerDown: (event) => {
      if (!onZoom || event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      cursor.set({ from: find(event) });
    },
    onPointerMove: (event) => cursor.set({ x: find(event) }),
    onPointerUp: (event) => {
      const { from } = cursor.read();
      const to = find(event);
      cursor.set({ from: null });
      if (from === null || Math.abs(to - from) * scale.perX < LEAST_DRAG) return;
      onZoom({ from: Math.min(from, to), to: Math.max(from, to) });
    },
    onPointerCancel: leave,
    onPointerLeave: () => cursor.read().from === null && leave(),
    onBlur: leave,
  };
}

function Caption({ label, scale, lines, band, write }) {
  return html`
    <figcaption>
      <b>${label}</b>${" "}
      ${scale.breakAt !== null && html`<span class="quiet">(the axis is broken above ${write(scale.top)})</span>`}${" "}
      ${lines.map((one) =>
        html`<span class="key ${one.className} ${isDotted(one) ? "dots" : ""}">${one.name}</span>${" "}`
      )}
      ${band && html`<span class="key band">${band.name}</span>`}
    </figcaption>
  `;
}

function Axes({ scale, width, write }) {
  return html`
    <g class="grid">
      ${scale.ticks.map((tick) =>
        html`
          <line x1=${LEFT} x2=${width - RIGHT} y1=${scale.y(tick)} y2=${scale.y(tick)} />
          <text x=${LEFT - 6} y=${scale.y(tick) + 4} text-anchor="end">${write(tick)}</text>
        `
      )}
      ${scale.breakAt !== null && html`
        <text x=${LEFT - 6} y=${scale.y(scale.highest) + 4} text-anchor="end">${write(scale.highest)}</text>
        <path class="break" d="M${LEFT} ${scale.breakAt}${drawWaves(width - LEFT - RIGHT)}" />
      `}
      ${scale.xTicks.map(({ x, text }) =>
        html`
          <line class="tick" x1=${scale.x(x)} x2=${scale.x(x)} y1=${HEIGHT - BOTTOM} y2=${HEIGHT - BOTTOM + 4} />
          <text class="axis" x=${scale.x(x)} y=${HEIGHT - 6} text-anchor=${placeText(scale.x(x), width)}>${text}</text>
        `
      )}
    </g>
  `;
}

/** A break of the axis: small waves from one side to the other. @param {number} width */
const drawWaves = (width) => "q4 -4 8 0t8 0".repeat(Math.floor(width / 16));

/** Text at an edge stays inside. @param {number} x @param {number} width */
const placeText = (x, width) => (x < LEFT + 30 ? "start" : x > width - 40 ? "end" : "middle");

const LEAST_NAMED = 52;

/** @param {{of: Part, scale: import("./scales.js").Scale}} props */
function Gap({ of, scale }) {
  const [from, to] = [scale.x(of.from), scale.x(of.to)];
  return html`
    <g class="gap">
      <rect x=${from} width=${Math.max(1, to - from)} y=${TOP} height=${HEIGHT - TOP - BOTTOM} />
      ${to - from > LEAST_NAMED && html`<text x=${(from + to) / 2} y=${HEIGHT / 2} text-anchor="middle">no data</text>`}
    </g>
  `;
}

/** @param {{marks: Mark[], place: number, scale: import("./scales.js").Scale}} props */
function MarkLine({ marks, place, scale }) {
  const { x, text, label } = marks[place];
  const isClose = place > 0 && Math.abs(scale.x(x) - scale.x(marks[place - 1].x)) < 70;
  return html`
    <g>
      <line class="mark" x1=${scale.x(x)} x2=${scale.x(x)} y1=${TOP} y2=${HEIGHT - BOTTOM}><title>${text}</title></line>
      ${label && html`<text class="mark-label" x=${scale.x(x) + 4} y=${TOP + (isClose ? 25 : 12)}>${label}</text>`}
    </g>
  `;
}

/** The upright line at the cursor, with a dot on each line, and the part that is being picked. */
function CursorLine({ xs, lines, cursor, scale }) {
  const { x, from } = useCursor(cursor);
  if (x === null) return null;
  const at = findNearest(xs, x);
  const place = scale.x(xs[at]);
  const known = lines.filter((one) => isNumber(one.values[at]));
  const drag = from === null ? null : [scale.x(Math.min(from, x)), scale.x(Math.max(from, x))];
  return html`
    <g>
      ${drag &&
        html`<rect class="picking" x=${drag[0]} width=${drag[1] - drag[0]} y=${TOP} height=${HEIGHT - TOP - BOTTOM} />`}
      <line class="cursor" x1=${place} x2=${place} y1=${TOP} y2=${HEIGHT - BOTTOM} />
      ${known.map((one) =>
        html`<circle class="dot ${one.className}" r="3.5" cx=${place} cy=${scale.y(one.values[at])} />`
      )}
    </g>
  `;
}

/** The values at the cursor in words; read aloud only of the chart that has the focus. */
function Readout({ xs, columns, cursor, writeX, write, notes, isActive }) {
  const { x } = useCursor(cursor);
  const at = x === null ? null : findNearest(xs, x);
  const values = at === null ? [] : columns
    .map((one) => `${one.name} ${(one.write ?? write)(one.values[at])}`);
  return html`
    <p class="readout" aria-live=${isActive ? "polite" : "off"}>
      ${at === null
        ? " "
        : `${writeX(xs[at])}: ${values.join(", ")}${notes[at] ? `. ${sentence(notes[at] ?? "")}` : ""}`}
    </p>
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

/** The bounds of a band as columns of the table and of the readout. @param {Band} band @returns {Line[]} */
const listBounds = (band) => [
  { name: "lower", values: band.lower, className: "" },
  { name: "upper", values: band.upper, className: "" },
];

/** Whether a line is drawn as dots alone, since no two known values stand beside each other. @param {Line} line */
const isDotted = ({ values }) =>
  values.some(isNumber) && !values.some((one, at) => isNumber(one) && isNumber(values[at + 1]));
