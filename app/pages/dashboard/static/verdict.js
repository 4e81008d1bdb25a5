// A decision in words: what to do, its numbers, and why.
import { html } from "./view.js";
import { ago, change, clock, count, duration, percent, rate, rateLimit, sentence, UNBOUNDED } from "./format.js";

export function Verdict({ decision }) {
  const { processors, current } = decision;
  const target = decision.policy?.goal?.t_max_seconds ?? decision.policy?.goal?.target?.seconds ?? null;
  const why = decision.reasons.map((one) => one.detail).join(" ");
  const promised = decision.corrected_sojourn_seconds ?? decision.expected_sojourn_seconds;
  return html`
    <section class=${`card verdict ${current.stable ? decision.action : "overloaded"}`}>
      <p class="sentence"><strong>${decision.verdict}</strong> ${sentence(why)}</p>
      <dl class="figures">
        ${decision.measured_sojourn_seconds !== null && html`
          <div>
            <dt>E[T] measured</dt>
            <dd>${duration(decision.measured_sojourn_seconds)}</dd>
          </div>
        `}
        <div>
          <dt>E[T] estimated</dt>
          <dd>${current.stable ? duration(current.expected_sojourn_seconds) : UNBOUNDED}</dd>
        </div>
        ${decision.action !== "hold" && html`
          <div>
            <dt>E[T] as recommended</dt>
            <dd>${duration(promised)}</dd>
          </div>
        `}
        <div>
          <dt>target</dt>
          <dd>${duration(target)}</dd>
        </div>
        <div>
          <dt>processors</dt>
          <dd>${change(processors.current_total, processors.recommended_total)}</dd>
        </div>
        <div>
          <dt>rate</dt>
          <dd>${rate(decision.external_rate)}</dd>
        </div>
        <div>
          <dt>holds up to</dt>
          <dd>${rateLimit(decision.counterfactuals.holds_up_to_rate)}</dd>
        </div>
        <div>
          <dt>decided on data until</dt>
          <dd>${clock(decision.decided_for)} UTC (${ago(decision.decided_for)})</dd>
        </div>
      </dl>
    </section>
  `;
}

export function Why({ decision, before }) {
  const { counterfactuals: other, basis } = decision;
  const { outcome, observed, current: { evidence } } = decision;
  const fewerRate = other.one_fewer_up_to_rate;
  return html`
    <section class="card">
      <h2>Why</h2>
      <ul>
        ${decision.reasons.map((one) => html`<li>${sentence(one.detail)} <${Code} of=${one} /></li>`)}
        ${decision.constraints.map((one) => html`<li>Bound: ${sentence(one.detail)} <${Code} of=${one} /></li>`)}
      </ul>
      <p>
        With one processor fewer: ${sentence(other.one_fewer_detail)}${" "}
        ${fewerRate !== null && `One processor fewer holds up to ${rateLimit(fewerRate)}. `}
        As recommended it holds up to ${rateLimit(other.holds_up_to_rate)}.
      </p>
      ${decision.catching_up && html`<p>${sentence(decision.catching_up.detail)}</p>`}
      ${outcome?.source === "reported" && html`<p>Reported: ${outcome.state}${describeMeasured(outcome)}.</p>`}
      ${observed && html`<p>Since then: ${sentence(observed.detail)}</p>`}
      ${before?.observed && html`
        <p>
          The decision before (${before.action}, on data until ${clock(before.decided_for)} UTC):${" "}
          ${sentence(before.observed.detail)}
        </p>
      `}
      <p class="quiet">
        From ${count(basis.snapshots)} snapshots of revision ${basis.revision}, ${clock(
          basis.first_observed_at,
        )} to${" "}
        ${clock(basis.last_observed_at)} UTC.${" "}
        ${evidence?.known_error && html`
          For this kind of input the estimate errs by ${percent(evidence.known_error)} on average.
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
function Code({ of }) {
  return html`<span class="code">${of.code}</span>`;
}

/** @param {{measured_seconds: number | null, expected_seconds: number | null}} outcome */
function describeMeasured({ measured_seconds, expected_seconds }) {
  return measured_seconds === null
    ? ""
    : `, E[T] measured ${duration(measured_seconds)} for ${duration(expected_seconds)} promised`;
}
