// A decision in words: what to do, its numbers, and why.
import { html } from "./view.js";
import {
  ago,
  change,
  clock,
  count,
  counted,
  duration,
  percent,
  rate,
  rateLimit,
  sentence,
  snapshots,
  UNBOUNDED,
} from "./format.js";

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
  const { current, policy, basis } = decision;
  const target = policy.goal.t_max_seconds ?? policy.goal.target?.seconds ?? null;
  const span = snapshots(basis.snapshots);
  const estimated = current.stable ? duration(current.expected_sojourn_seconds) : UNBOUNDED;
  const promised = decision.corrected_sojourn_seconds ?? decision.expected_sojourn_seconds;
  /** @type {(Figure | null)[]} */
  const figures = [
    ["processors", change(runs, wanted)],
    [`rate, ${span}`, rate(decision.external_rate)],
    decision.measured_sojourn_seconds === null
      ? null
      : [`measured E[T], ${span}`, duration(decision.measured_sojourn_seconds)],
    [`estimated E[T] of the ${count(runs)} that run`, estimated],
    decision.action === "hold" ? null : [`expected E[T] of ${count(wanted)}`, duration(promised)],
    target === null ? null : ["target", duration(target)],
    [
      `${counted(wanted, "processor")} ${target === null ? "keep up" : "meet the target"} up to`,
      rateLimit(decision.counterfactuals.holds_up_to_rate),
    ],
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
  const { counterfactuals: other, basis, processors } = decision;
  const { outcome, observed, current: { evidence } } = decision;
  const wanted = processors.recommended_total;
  const fewer = other.one_fewer_up_to_rate;
  const { t_max_seconds, target } = decision.policy.goal;
  const meets = (t_max_seconds ?? target) === null ? "keep up" : "meet the target";
  return html`
    <section class="card">
      <h2>Why</h2>
      <ul>
        ${decision.reasons.map((one) => html`<li>${sentence(one.detail)} <${Code} of=${one} /></li>`)}
        ${decision.constraints.map((one) => html`<li>Limit: ${sentence(one.detail)} <${Code} of=${one} /></li>`)}
      </ul>
      <p>
        ${decision.sized_for?.detail}${" "}${sentence(other.one_fewer_detail)}${" "}
        ${fewer !== null && `${count(wanted - 1)} processors ${meets} up to ${rateLimit(fewer)}, `}
        ${fewer !== null && `${count(wanted)} up to ${rateLimit(other.holds_up_to_rate)}.`}
      </p>
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
        From ${counted(basis.snapshots, "snapshot")} of revision ${basis.revision}, measured from ${clock(
          basis.first_observed_at,
        )} until${" "}
        ${clock(decision.decided_for)} UTC.${" "}
        ${evidence?.known_error && html`
          The estimated E[T] differs from the true one by ${percent(evidence.known_error)} on average, for such data.
        `}
      </p>
      <${Diagnostics} of=${decision.diagnostics} />
    </section>
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
    : `, with a measured E[T] of ${duration(measured_seconds)} for ${duration(expected_seconds)} promised`;
}
