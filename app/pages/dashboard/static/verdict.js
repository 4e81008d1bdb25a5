// A decision in words: what to do, its numbers, and why.
import { html } from "./view.js";
import { at } from "./api.js";
import {
  ago,
  change,
  clock,
  count,
  counted,
  duration,
  nameReach,
  rate,
  rateLimit,
  sentence,
  snapshots,
  UNBOUNDED,
} from "./format.js";
import { useAnswer } from "./hooks.js";

/** @typedef {[name: string, value: string]} Figure a number, and of what it is */

export function Verdict({ decision }) {
  const { processors, current, withheld } = decision;
  const figures = html`<${Figures} of=${listFigures(decision, processors)} />`;
  if (withheld) {
    return html`
      <section class="card verdict withheld">
        <p class="sentence">
          <strong>${decision.verdict}</strong> ${sentence(withheld.detail)} ${sentence(withheld.remedy)}${" "}
          <${Code} of=${withheld} />
        </p>
        <p class="quiet">The last decision had these numbers:</p>
        <div class="old">${figures}</div>
      </section>
    `;
  }
  const at = decision.verdict.indexOf(". ") + 1;
  const [todo, effect] = at ? [decision.verdict.slice(0, at), decision.verdict.slice(at)] : [decision.verdict, ""];
  return html`
    <section class=${`card verdict ${current.stable ? decision.action : "overloaded"}`}>
      <p class="sentence"><strong>${sentence(todo)}</strong>${effect}</p>
      ${figures}
    </section>
  `;
}

/** Each number of a decision, with the time and the processors that it is of. @returns {Figure[]} */
function listFigures(decision, { current_total: runs, recommended_total: wanted }) {
  const { current, policy, basis, external_rate } = decision;
  const target = policy.goal.t_max_seconds ?? policy.goal.target?.seconds ?? null;
  const span = snapshots(basis.snapshots);
  const estimated = current.stable ? duration(current.expected_sojourn_seconds) : UNBOUNDED;
  const expected = decision.corrected_sojourn_seconds ?? decision.expected_sojourn_seconds;
  const now = rate(external_rate);
  const corrected = decision.corrected_sojourn_seconds === null ? "" : ", corrected by measured waits";
  /** @type {(Figure | null)[]} */
  const figures = [
    ["processors", change(runs, wanted)],
    [`rate, ${span}`, now],
    decision.measured_sojourn_seconds === null
      ? null
      : [`measured E[T], ${span}`, duration(decision.measured_sojourn_seconds)],
    [`estimated E[T] of the ${count(runs)} that run, at ${now}`, estimated],
    decision.action === "hold"
      ? null
      : [`expected E[T] of ${count(wanted)}, at ${now}${corrected}`, duration(expected)],
    target === null ? null : ["target", duration(target)],
    [nameReach(wanted, target !== null), rateLimit(decision.counterfactuals.holds_up_to_rate)],
    ["decided on data until", `${clock(decision.decided_for)} UTC (${ago(decision.decided_for)})`],
  ];
  return figures.filter((one) => one !== null);
}

/** Numbers, each below its name. @param {{of: Figure[]}} props */
export function Figures({ of }) {
  return html`
    <dl class="figures">
      ${of.map(([name, value]) =>
        html`
          <div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>
        `
      )}
    </dl>
  `;
}

export function Why({ decision, before }) {
  const { basis, outcome, observed, current: { evidence } } = decision;
  return html`
    <section class="card">
      <h2>Why</h2>
      <ul>
        ${decision.reasons.map((one) => html`<li>${sentence(one.detail)} <${Code} of=${one} /></li>`)}
        ${decision.constraints.map((one) => html`<li>Limit: ${sentence(one.detail)} <${Code} of=${one} /></li>`)}
      </ul>
      <p>
        ${decision.sized_for?.detail}${" "}
        ${decision.sized_for?.source === "forecast" && html`<${Covered} name=${basis.topology} />`}
      </p>
      <p>${sentence(decision.counterfactuals.one_fewer_detail)}</p>
      ${decision.catching_up && html`<p>${sentence(decision.catching_up.detail)}</p>`}
      ${outcome?.source === "reported" && html`<p>Reported: ${outcome.state}${describeMeasured(outcome)}.</p>`}
      ${observed && html`<p>Since then: ${sentence(observed.detail)}</p>`}
      ${before?.observed && html`
        <p>
          The decision before, on data until ${clock(before.decided_for)} UTC:${" "}
          ${sentence(before.observed.detail)}
        </p>
      `}
      <p class="quiet">
        Made from ${counted(basis.snapshots, "snapshot")}, measured from ${clock(basis.first_observed_at)} until${" "}
        ${clock(decision.decided_for)} UTC, and from the description of the topology with number${" "}
        ${count(basis.revision)} (the first is 1, each change adds 1).
      </p>
      <${Evidence} of=${evidence} />
      <${Diagnostics} of=${decision.diagnostics} />
    </section>
  `;
}

/** How often earlier forecasts were right, beside the probability of this one. @param {{name: string}} props */
function Covered({ name }) {
  return useAnswer(at(name, "/past-forecasts?limit=200"), undefined, null).answer?.detail;
}

/** How true the estimated E[T] is. @param {{of: {detail: string, assumed: string[]} | null}} props */
function Evidence({ of }) {
  if (!of) return null;
  return html`
    <details>
      <summary>How true the estimated E[T] is</summary>
      <p>${of.detail}</p>
      ${of.assumed.length > 0 && html`
        <p>Assumed, because it was not measured:</p>
        <ul>${of.assumed.map((one) => html`<li>${sentence(one)}</li>`)}</ul>
      `}
    </details>
  `;
}

/** What the service says of its data, each thing once. @param {{of: {code: string, detail: string}[]}} props */
export function Diagnostics({ of }) {
  const each = [...new Map(of.map((one) => [`${one.code} ${one.detail}`, one])).values()];
  if (!each.length) return null;
  return html`
    <details open>
      <summary>Notes on the data (${each.length})</summary>
      <ul>${each.map((one) => html`<li>${sentence(one.detail)} <${Code} of=${one} /></li>`)}</ul>
    </details>
  `;
}

/** The stable code of a reason or a diagnostic. @param {{of: {code: string}}} props */
export function Code({ of }) {
  return html`<span class="code">${of.code}</span>`;
}

/** @param {{measured_seconds: number | null, expected_seconds: number | null}} outcome */
function describeMeasured({ measured_seconds, expected_seconds }) {
  return measured_seconds === null
    ? ""
    : `, with a measured E[T] of ${duration(measured_seconds)}, where ${duration(expected_seconds)} was expected`;
}
