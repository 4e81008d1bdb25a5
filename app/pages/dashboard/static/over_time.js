// Rate, E[T] and processors of the last day.
import { html } from "./view.js";
import { Chart } from "./chart.js";
import { clock, duration, rate, short } from "./format.js";
import { Trouble } from "./hooks.js";

export function OverTime({ series }) {
  const found = series.answer;
  if (!found) return html`<${Trouble} problem=${series.problem} />`;
  const points = dropEmptyStart(found.points);
  const xs = points.map((one) => Date.parse(one.at));
  const values = (field) => points.map((one) => one[field]);
  const target = found.target_seconds === null
    ? []
    : [{ name: "target", values: xs.map(() => found.target_seconds), className: "target" }];
  const times = [
    { name: "E[T] measured", values: values("measured_sojourn_seconds"), className: "measured" },
    { name: "E[T] estimated", values: values("expected_sojourn_seconds"), className: "expected" },
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
  const cap = found.target_seconds && 3 * found.target_seconds;
  return html`
    <section class="card">
      <h2>Over time (UTC)</h2>
      <${Chart} label="External rate" xs=${xs} writeX=${clock} lines=${rates} write=${rate} />
      <${Chart} label="E[T]" xs=${xs} writeX=${clock} lines=${times} write=${duration} cap=${cap} />
      <${Chart} label="Processors" xs=${xs} writeX=${clock} lines=${processors} write=${short} />
    </section>
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
