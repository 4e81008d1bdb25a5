// Was it right? What earlier decisions promised, and what came.
import { html, useState } from "./vendor/preact.js";
import { at } from "./api.js";
import { Chart } from "./chart.js";
import { change, clock, duration, rate, short } from "./format.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";
import { Tabs } from "./topology.js";

const ACTIONS = ["all", "hold", "scale_up", "scale_down", "rebalance"];

/** @param {{name: string}} props */
export function DecisionsPage({ name }) {
  const [action, setAction] = useState("all");
  const found = useAnswer(at(name, "/decisions?limit=100"));
  const series = useAnswer(at(name, "/series?points=288"));
  const rows = (found.answer?.items ?? []).filter((one) => action === "all" || one.action === action);
  return html`<div class="page"><h1>${name}</h1><${Tabs} name=${name} on="decisions" />
    <${Trouble} problem=${found.problem} /><${Waiting} of=${found} />
    ${series.answer && html`<${TimeLine} series=${series.answer} />`}
    <section class="card"><h2>Decisions</h2>
      <label>action <select value=${action} onChange=${(event) => setAction(event.target.value)}>${ACTIONS.map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
      ${found.answer && !rows.length && html`<p class="quiet">There is none yet. POST ${at(name, "/decisions")} makes one.</p>`}
      ${rows.length > 0 && html`<div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled"><table class="wide"><thead><tr><th scope="col">on data until (UTC)</th><th scope="col">action</th><th scope="col">processors</th><th scope="col">rate</th>
        <th scope="col">promised</th><th scope="col">came</th><th scope="col">kept</th><th scope="col">why</th></tr></thead>
        <tbody>${rows.map((one) => html`<tr key=${one.id}><th scope="row">${clock(one.decided_for)}</th><td>${one.action}</td>
          <td>${change(one.processors.current_total, one.processors.recommended_total)}</td><td>${rate(one.external_rate)}</td>
          <td>${duration(one.outcome?.expected_seconds)}</td><td>${duration(one.outcome?.measured_seconds)}</td>
          <td>${describeKept(one.outcome)}</td><td>${one.reasons.map((reason) => reason.code).join(", ")}</td></tr>`)}</tbody></table></div>`}</section></div>`;
}

/** @param {{kept: boolean | null, state: string} | null | undefined} outcome */
function describeKept(outcome) {
  if (!outcome) return "–";
  return outcome.kept === null ? outcome.state : outcome.kept ? "✓ kept" : "▲ missed";
}

function TimeLine({ series }) {
  const xs = series.points.map((one) => Date.parse(one.at));
  const values = (field) => series.points.map((one) => one[field]);
  const marks = series.points.flatMap((one, i) => (one.action && one.action !== "hold" ? [{ x: xs[i], text: `${one.action} to ${one.processors_recommended}` }] : []));
  const target = series.target_seconds === null ? [] : [{ name: "target", values: xs.map(() => series.target_seconds), className: "target" }];
  return html`<section class="card"><h2>What was decided, and what was measured (UTC)</h2>
    <${Chart} label="External rate" xs=${xs} writeX=${clock} lines=${[{ name: "mean", values: values("external_rate"), className: "measured" }]} marks=${marks} write=${rate} />
    <${Chart} label="E[T]" xs=${xs} writeX=${clock} marks=${marks} write=${duration} cap=${series.target_seconds && 3 * series.target_seconds} lines=${[
      { name: "measured", values: values("measured_sojourn_seconds"), className: "measured" },
      { name: "estimated", values: values("expected_sojourn_seconds"), className: "expected" }, ...target]} />
    <${Chart} label="Processors" xs=${xs} writeX=${clock} marks=${marks} write=${short} lines=${[
      { name: "running", values: values("processors_running"), className: "measured" },
      { name: "recommended", values: values("processors_recommended"), className: "expected" }]} /></section>`;
}
