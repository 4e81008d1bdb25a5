// What stands beside a what-if: the rate that the forecast goes up to, another scenario, and why the decision differs.
import { html, useState } from "./view.js";
import { at } from "./api.js";
import { count, duration, rate, rateLimit, sentence, short, UNKNOWN } from "./format.js";
import { useAnswer } from "./hooks.js";
import { Code } from "./verdict.js";

/** The hours of 30 days. */
const HOURS = 720;

/** The standing decision of a topology; null: there is none, or it is withheld. @param {string} name */
export function useDecision(name) {
  const id = useAnswer(at(name, "/decisions?limit=1")).answer?.standing ?? null;
  const decision = useAnswer(id && `/v1/decisions/${id}`).answer;
  return decision && !decision.withheld ? decision : null;
}

/**
 * A mark below the slider: the rate that the decision's forecast is not expected to exceed.
 * @param {{decision: any, onLoad: (load: number) => void}} props
 */
export function ForecastMark({ decision, onLoad }) {
  const ahead = decision?.look_ahead;
  if (!ahead || !decision.external_rate) return null;
  const load = Number((ahead.upper_rate / decision.external_rate).toPrecision(3));
  return html`
    <p class="row">
      <button onClick=${() => onLoad(load)}>Try the forecast's highest rate: ${rate(ahead.upper_rate)}</button>
      <span class="quiet">× ${short(load)} of the rate that the decision measured, ${rate(
        decision.external_rate,
      )}</span>
    </p>
  `;
}

/** Each number of a scenario with its name. @param {any} found @returns {[string, string][]} */
function listNumbers({ load_factor, external_rate, t_max_seconds, planned, current, gate }) {
  return [
    ["load", `× ${short(load_factor)}`],
    ["rate", rate(external_rate)],
    ["target", duration(t_max_seconds)],
    ["processors that run", count(current?.processors_total)],
    ["processors planned", count(planned?.processors_total)],
    ["processor-hours of 30 days as planned", planned ? count(HOURS * planned.processors_total) : UNKNOWN],
    ["estimated E[T] as planned", duration(planned?.expected_sojourn_seconds)],
    [
      "estimated E[T] of what runs",
      current && !current.stable ? "cannot keep up" : duration(current?.expected_sojourn_seconds),
    ],
    ["what runs passes every check up to", rateLimit(gate?.headroom_rate)],
  ];
}

/** Two scenarios side by side: one that was kept, and the one on the page. @param {{found: any}} props */
export function Scenarios({ found }) {
  const [kept, setKept] = useState(/** @type {any} */ (null));
  const now = listNumbers(found);
  const before = kept && listNumbers(kept);
  return html`
    <section class="card">
      <h2>Side by side</h2>
      <p class="row">
        <button onClick=${() => setKept(found)}>Keep these numbers to compare</button>
        ${kept
          ? html`<button onClick=${() => setKept(null)}>Drop them</button>`
          : html`<span class="quiet">Then enter other terms above.</span>`}
      </p>
      ${before && html`
        <table>
          <thead>
            <tr>
              <th scope="col">number</th>
              <th scope="col">kept</th>
              <th scope="col">now</th>
            </tr>
          </thead>
          <tbody>
            ${now.map(([name, value], place) =>
              html`
                <tr>
                  <th scope="row">${name}</th>
                  <td>${before[place][1]}</td>
                  <td>${value}</td>
                </tr>
              `
            )}
          </tbody>
        </table>
      `}
    </section>
  `;
}

/** Why the decision has another number of processors. @param {{decision: any}} props */
export function DecisionSays({ decision }) {
  if (!decision) return null;
  return html`
    <details>
      <summary>Why the decision says otherwise</summary>
      <p>${sentence(decision.verdict)}</p>
      <ul>${decision.reasons.map((one) => html`<li>${sentence(one.detail)} <${Code} of=${one} /></li>`)}</ul>
      <p>${decision.sized_for?.detail}</p>
    </details>
  `;
}
