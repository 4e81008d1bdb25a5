// Rate, E[T] and processors of the last day.
import { html } from "./view.js";
import { Chart } from "./chart.js";
import { clock, duration, rate, short, UNKNOWN } from "./format.js";
import { Trouble } from "./hooks.js";

export function OverTime({ series }) {
  const found = series.answer;
  if (!found) return html`<${Trouble} problem=${series.problem} />`;
  return html`
    <section class="card">
      <h2>Over time (UTC)</h2>
      <${SeriesCharts} series=${{ ...found, points: dropEmptyStart(found.points) }} />
    </section>
  `;
}

/**
 * Charts of rate, E[T] and processors of a series; the marks are upright lines in each.
 * @param {{series: any, marks?: {x: number, text: string}[]}} props
 */
export function SeriesCharts({ series: { points, target_seconds, bucket_seconds }, marks = [] }) {
  const xs = points.map((one) => Date.parse(one.at));
  const values = (field) => points.map((one) => one[field]);
  const target = target_seconds === null
    ? []
    : [{ name: "target", values: xs.map(() => target_seconds), className: "target" }];
  const times = [
    { name: "E[T] measured", values: values("measured_sojourn_seconds"), className: "measured" },
    {
      name: "E[T] estimated",
      values: points.map((one) => (one.is_overloaded ? Infinity : one.expected_sojourn_seconds)),
      className: "expected",
      write: (value) => (value === Infinity ? "cannot keep up" : duration(value)),
    },
    ...target,
  ];
  const rates = [
    { name: "mean rate", values: values("external_rate"), className: "measured" },
    { name: "highest rate", values: values("highest_rate"), className: "expected" },
  ];
  const processors = [
    { name: "running", values: values("processors_running"), className: "measured" },
    { name: "recommended", values: values("processors_recommended"), className: "expected" },
  ];
  const shared = { xs, marks, writeX: clock };
  const notes = values("note");
  const cap = target_seconds && 3 * target_seconds;
  const length = duration(bucket_seconds);
  return html`
    <p class="quiet">
      Each point stands for ${length}, and its time is their beginning. E[T] measured: the mean over the tuples of these${" "}
      ${length}. E[T] estimated and processors running: for their last snapshot alone. Processors recommended: by the newest${" "}
      decision of these ${length}, and ${UNKNOWN} where there was none. Elsewhere ${UNKNOWN} means that nothing was measured.
      Often more processors run than the rate of a row takes: a decision is made for the highest rate that may come before
      the next change is possible, and the policy may keep processors for some time after they were needed. The page${" "}
      Decisions has the reasons of each decision.
    </p>
    <${Chart} ...${shared} label="External rate" lines=${rates} write=${rate} />
    <${Chart} ...${shared} label="E[T]" lines=${times} write=${duration} cap=${cap} notes=${notes} />
    <${Chart} ...${shared} label="Processors" lines=${processors} write=${short} notes=${notes} />
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
