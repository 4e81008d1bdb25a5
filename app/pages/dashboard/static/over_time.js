// Rate, E[T] and processors over time: one time axis, one cursor, the changes that were decided, and the forecast.
import { html, useMemo, useState } from "./view.js";
import { Chart } from "./chart.js";
import { makeCursor } from "./cursor.js";
import { Events } from "./events.js";
import { clock, counted, duration, percent, rate, short, UNKNOWN } from "./format.js";
import { RangePicker } from "./range.js";
import { Trouble } from "./hooks.js";

/** Beyond a band of this probability lies as much on each side as beyond the rate that decisions are ready for. */
export const LEVEL = 0.9;

/**
 * @typedef {import("./range.js").Range} Range
 * @param {{series: {answer: any, problem: Error | null}, decisions: any[], forecast: any, range: Range,
 *   onRange: (range: Range) => void}} props
 */
export function OverTime({ series, decisions, forecast, range, onRange }) {
  const found = series.answer;
  const isNow = !range.from;
  const trimmed = useMemo(() => found && { ...found, points: isNow ? dropEmptyStart(found.points) : found.points }, [
    found,
    isNow,
  ]);
  return html`
    <section class="card">
      <h2>Over time (UTC)</h2>
      <${RangePicker} range=${range} onRange=${onRange} />
      <${Trouble} problem=${series.problem} />
      ${trimmed && html`
        <${SeriesCharts} series=${trimmed} decisions=${decisions} forecast=${isNow ? forecast : null}
          onZoom=${({ from, to }) =>
            onRange({ range: "", from: new Date(from).toISOString(), to: new Date(to).toISOString() })} />
      `}
    </section>
  `;
}

/**
 * Charts of rate, E[T] and processors of a series; the marks, or else the changes that were decided, are upright lines.
 * @param {{series: any, marks?: {x: number, text: string}[] | null, decisions?: any[], forecast?: any,
 *   onZoom?: ((part: {from: number, to: number}) => void) | null}} props
 */
export function SeriesCharts({ series, marks = null, decisions = [], forecast = null, onZoom = null }) {
  const cursor = useMemo(makeCursor, []);
  const ahead = useMemo(() => readAhead(series, forecast), [series, forecast]);
  const drawn = useMemo(() => draw(series, ahead), [series, ahead]);
  const { xs, length } = drawn;
  const end = ahead.xs.length ? ahead.xs[ahead.xs.length - 1] : Math.max(xs[xs.length - 1] ?? 0, Date.parse(series.to));
  const domain = useMemo(() => /** @type {[number, number]} */ ([xs[0], end]), [xs[0], end]);
  const changes = decisions.filter((one) => one.action !== "hold" && isWithin(Date.parse(one.decided_for), domain));
  const decided = changes.map((one) => ({
    x: Date.parse(one.decided_for),
    text: `Decided at ${clock(one.decided_for)}`,
  }));
  const shared = {
    writeX: clock,
    marks: marks ?? decided,
    isTime: true,
    domain,
    gaps: drawn.gaps,
    cursor,
    onZoom,
  };
  const cap = series.target_seconds && 3 * series.target_seconds;
  return html`
    <details>
      <summary>What each point is</summary>
      <p class="quiet">
      Each point stands for ${length}, and its time is their beginning. E[T] measured: the mean over the tuples of these${" "}
      ${length}. E[T] estimated and processors running: for their last snapshot alone. Processors recommended: by the newest${" "}
      decision of these ${length}, and ${UNKNOWN} where there was none. Elsewhere ${UNKNOWN} means that nothing was measured.
      Often more processors run than the rate of a row takes: a decision is made for the highest rate that may come before
      the next change is possible, and the policy may keep processors for some time after they were needed. The page${" "}
      Decisions has the reasons of each decision.
      </p>
    </details>
    ${onZoom && html`<p class="quiet">Draw over a part of a chart to see it alone.</p>`}
    ${xs.length > 0 && onZoom && html`<${Events} decisions=${changes} domain=${domain} cursor=${cursor} />`}
    <${Chart} ...${shared} label="External rate" xs=${drawn.ratesAt} lines=${drawn.rates} band=${ahead
      .band} write=${rate} />
    <${Chart} ...${shared} label="E[T]" xs=${xs} lines=${drawn.times} write=${duration} cap=${cap}
      notes=${drawn.notes} />
    <${Processors} shared=${shared} xs=${xs} lines=${drawn.processors} notes=${drawn.notes} decisions=${decisions} />
  `;
}

/** @param {number} time @param {[number, number]} domain */
const isWithin = (time, [from, to]) => time >= from && time <= to;

/** The lines of the charts, and the gaps in them. @param {any} series @param {ReturnType<typeof readAhead>} ahead */
function draw({ points, target_seconds, bucket_seconds }, ahead) {
  const xs = points.map((one) => Date.parse(one.at));
  const values = (field) => points.map((one) => one[field]);
  const later = ahead.xs.map(() => null);
  const target = target_seconds === null
    ? []
    : [{ name: "target", values: xs.map(() => target_seconds), className: "target" }];
  const expected = ahead.xs.length
    ? [{ name: "forecast", values: [...xs.map(() => null), ...ahead.rates], className: "expected" }]
    : [{ name: "highest rate", values: values("highest_rate"), className: "expected" }];
  return {
    xs,
    notes: values("note"),
    length: duration(bucket_seconds),
    gaps: findGaps(points, xs, 1000 * bucket_seconds),
    ratesAt: [...xs, ...ahead.xs],
    rates: [{ name: "mean rate", values: [...values("external_rate"), ...later], className: "measured" }, ...expected],
    times: [
      { name: "E[T] measured", values: values("measured_sojourn_seconds"), className: "measured" },
      {
        name: "E[T] estimated",
        values: points.map((one) => (one.is_overloaded ? Infinity : one.expected_sojourn_seconds)),
        className: "expected",
        write: (value) => (value === Infinity ? "cannot keep up" : duration(value)),
      },
      ...target,
    ],
    processors: [
      { name: "running", values: values("processors_running"), className: "measured" },
      { name: "recommended", values: values("processors_recommended"), className: "expected" },
    ],
  };
}

/**
 * The parts of time in which nothing was measured. Where a point has one snapshot at most, a single empty one is none:
 * snapshots that come a little late leave it.
 */
function findGaps(points, xs, length) {
  const gaps = [];
  points.forEach((one, place) => {
    if (one.snapshots > 0) return;
    const last = gaps[gaps.length - 1];
    if (last && Math.abs(last.to - xs[place]) < 1) last.to += length;
    else gaps.push({ from: xs[place], to: xs[place] + length });
  });
  const most = points.reduce((many, one) => Math.max(many, one.snapshots), 0);
  return gaps.filter((one) => most > 1 || one.to - one.from > 1.5 * length);
}

/** What is forecast after the series, and its band beside the times of both. @param {any} series @param {any} forecast */
function readAhead(series, forecast) {
  const end = Date.parse(series.to);
  const length = end - Date.parse(series.points[0]?.at ?? series.to);
  // No longer than a third of what is seen.
  const expected = (forecast?.expected ?? []).filter((one) =>
    Date.parse(one.at) >= end && Date.parse(one.at) <= end + length / 3
  );
  if (!expected.length) return { xs: [], rates: [], band: null };
  const before = series.points.map(() => null);
  return {
    xs: expected.map((one) => Date.parse(one.at)),
    rates: expected.map((one) => one.rate),
    band: {
      name: `${percent(forecast.level)} band`,
      lower: [...before, ...expected.map((one) => one.lower)],
      upper: [...before, ...expected.map((one) => one.upper)],
    },
  };
}

/** The processors of all operators, or of one as the decisions of this time saw it. */
function Processors({ shared, xs, lines, notes, decisions }) {
  const [operator, setOperator] = useState("");
  const within = decisions.filter((one) => isWithin(Date.parse(one.decided_for), shared.domain)).toReversed();
  const names = Object.keys(decisions[0]?.processors.current ?? {}).sort();
  const one = operator && {
    xs: within.map((each) => Date.parse(each.decided_for)),
    lines: [
      {
        name: "running",
        values: within.map((each) => each.processors.current[operator] ?? null),
        className: "measured",
      },
      {
        name: "recommended",
        values: within.map((each) => each.processors.recommended[operator] ?? null),
        className: "expected",
      },
    ],
  };
  return html`
    ${names.length > 1 && html`
      <label>
        processors of${" "}
        <select aria-label="Processors of" value=${operator} onChange=${(event) => setOperator(event.target.value)}>
          <option value="">all operators</option>
          ${names.map((name) => html`<option value=${name}>${name}</option>`)}
        </select>
      </label>
      ${operator &&
        html`<span class="quiet">as the newest ${counted(within.length, "decision")} of this time saw them</span>`}
    `}
    <${Chart} ...${shared} label="Processors" xs=${one ? one.xs : xs} lines=${one ? one.lines : lines}
      gaps=${one ? [] : shared.gaps} notes=${one ? [] : notes} write=${short} />
  `;
}

/**
 * The points from the first one on in which anything was measured or decided.
 * @param {any[]} points
 */
export function dropEmptyStart(points) {
  const first = points.findIndex((one) => one.snapshots > 0 || one.action !== null);
  return first < 0 ? [] : points.slice(first);
}
