// What decisions expected of the rate, beside what came.
import { html } from "./view.js";
import { at } from "./api.js";
import { Chart } from "./chart.js";
import { describeCoverage } from "./forecast_accuracy.js";
import { clock, percent, rate } from "./format.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

/** @param {{name: string}} props */
export function PastForecasts({ name }) {
  const found = useAnswer(at(name, "/past-forecasts?limit=200"));
  const items = found.answer?.items;
  return html`
    <div>
      <${Trouble} problem=${found.problem} />
      <${Waiting} of=${found} />
      ${items && !items.length && html`<${Empty} name=${name} />`}
      ${items && items.length > 0 && html`<${Compared} found=${found.answer} />`}
    </div>
  `;
}

/** @param {{name: string}} props */
function Empty({ name }) {
  return html`
    <section class="card">
      <h2>No decision has looked ahead yet</h2>
      <p>
        A policy with a target looks ahead over its cooldown once 30 intervals were measured; see${" "}
        POST ${at(name, "/decisions")}.
      </p>
    </section>
  `;
}

function Compared({ found }) {
  const xs = found.items.map((one) => Date.parse(one.decided_for));
  const values = (field) => found.items.map((one) => one[field]);
  const missed = found.items
    .filter((one) => one.covered === false)
    .map((one) => ({ x: Date.parse(one.decided_for), text: `more came than covered: ${rate(one.came_rate)}` }));
  const lines = [
    { name: "came", values: values("came_rate"), className: "measured" },
    { name: "covered up to", values: values("upper_rate"), className: "expected" },
    { name: "expected", values: values("expected_rate"), className: "target" },
  ];
  return html`
    <section class="card">
      <h2>What decisions were ready for: the highest rate until the next change is possible, and what came (UTC)</h2>
      <dl class="figures">
        <div>
          <dt>covered</dt>
          <dd>${describeCoverage(found)}</dd>
        </div>
        <div>
          <dt>aim</dt>
          <dd>${percent(found.wanted)}</dd>
        </div>
        <div>
          <dt>expected too ${found.mean_error < 0 ? "little" : "much"} by</dt>
          <dd>${percent(found.mean_error && Math.abs(found.mean_error))}</dd>
        </div>
      </dl>
      <p>${found.detail}</p>
      <${Chart} label="External rate" xs=${xs} writeX=${clock} lines=${lines} isTime=${true}
        marks=${missed}
        write=${rate} />
      <p class="quiet">
        Came: the highest measured rate from a decision until the next change was possible. Expected: the same, as${" "}
        forecast. Covered up to: the rate that the decision was ready for. A dotted upright line marks a time in which${" "}
        more came than was covered.${" "}
        The newest ones are not judged until their time is over. These are the forecasts that decisions used. ▲: all of the${" "}
        bracket is below the aim.
      </p>
    </section>
  `;
}
