// Was it right? What earlier decisions promised, and what came.
import { html, useState } from "./view.js";
import { at } from "./api.js";
import { Chart } from "./chart.js";
import { change, clock, duration, rate, short } from "./format.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";
import { Tabs } from "./tabs.js";

const ACTIONS = ["all", "hold", "scale_up", "scale_down", "rebalance"];

/** @param {{name: string}} props */
export function DecisionsPage({ name }) {
  const [action, setAction] = useState("all");
  const found = useAnswer(at(name, "/decisions?limit=100"));
  const series = useAnswer(at(name, "/series?points=288"));
  const rows = (found.answer?.items ?? []).filter((one) => action === "all" || one.action === action);
  return html`
    <div class="page">
      <h1>${name}</h1>
      <${Tabs} name=${name} on="decisions" />
      <${Trouble} problem=${found.problem} />
      <${Waiting} of=${found} />
      ${series.answer && html`<${TimeLine} series=${series.answer} />`}
      <section class="card">
        <h2>Decisions</h2>
        <label>
          action${" "}
          <select value=${action} onChange=${(event) => setAction(event.target.value)}>
            ${ACTIONS.map((one) => html`<option value=${one}>${one}</option>`)}
          </select>
        </label>
        ${found.answer && !rows.length && html`
          <p class="quiet">There is none yet. POST ${at(name, "/decisions")} makes one.</p>
        `}
        ${rows.length > 0 && html`<${Table} rows=${rows} />`}
      </section>
    </div>
  `;
}

const COLUMNS = ["on data until (UTC)", "action", "processors", "rate", "promised", "came", "kept", "why"];

function Table({ rows }) {
  return html`
    <div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="wide">
        <thead>
          <tr>${COLUMNS.map((one) => html`<th scope="col">${one}</th>`)}</tr>
        </thead>
        <tbody>
          ${rows.map((one) =>
            html`
              <tr key=${one.id}>
                <th scope="row">${clock(one.decided_for)}</th>
                <td>${one.action}</td>
                <td>${change(one.processors.current_total, one.processors.recommended_total)}</td>
                <td>${rate(one.external_rate)}</td>
                <td>${duration(one.outcome?.expected_seconds)}</td>
                <td>${duration(one.outcome?.measured_seconds)}</td>
                <td>${describeKept(one.outcome)}</td>
                <td>${one.reasons.map((reason) => reason.code).join(", ")}</td>
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** @param {{kept: boolean | null, state: string} | null | undefined} outcome */
function describeKept(outcome) {
  if (!outcome) return "–";
  return outcome.kept === null ? outcome.state : outcome.kept ? "✓ kept" : "▲ missed";
}

function TimeLine({ series }) {
  const xs = series.points.map((one) => Date.parse(one.at));
  const values = (field) => series.points.map((one) => one[field]);
  const marks = series.points.flatMap((one) => {
    if (!one.action || one.action === "hold") return [];
    return [{ x: Date.parse(one.at), text: `${one.action} to ${one.processors_recommended}` }];
  });
  const target = series.target_seconds === null
    ? []
    : [{ name: "target", values: xs.map(() => series.target_seconds), className: "target" }];
  const rates = [{ name: "mean", values: values("external_rate"), className: "measured" }];
  const times = [
    { name: "measured", values: values("measured_sojourn_seconds"), className: "measured" },
    { name: "estimated", values: values("expected_sojourn_seconds"), className: "expected" },
    ...target,
  ];
  const processors = [
    { name: "running", values: values("processors_running"), className: "measured" },
    { name: "recommended", values: values("processors_recommended"), className: "expected" },
  ];
  const cap = series.target_seconds && 3 * series.target_seconds;
  const shared = { xs, marks, writeX: clock };
  return html`
    <section class="card">
      <h2>What was decided, and what was measured (UTC)</h2>
      <${Chart} ...${shared} label="External rate" lines=${rates} write=${rate} />
      <${Chart} ...${shared} label="E[T]" lines=${times} write=${duration} cap=${cap} />
      <${Chart} ...${shared} label="Processors" lines=${processors} write=${short} />
    </section>
  `;
}
