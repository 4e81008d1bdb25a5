// A decision in words: what to do, its numbers, and why.
import { html } from "./view.js";
import { ago, change, clock, count, duration, percent, rate } from "./format.js";

const SENTENCES = {
  hold: "Keep what runs.",
  scale_up: "Run more processors.",
  scale_down: "Run fewer processors.",
  rebalance: "Move processors between operators.",
};

export function Verdict({ decision }) {
  const { processors, current } = decision;
  const target = decision.policy?.goal?.t_max_seconds ?? decision.policy?.goal?.target?.seconds ?? null;
  const seconds = decision.measured_sojourn_seconds ?? current.expected_sojourn_seconds;
  const why = decision.reasons.map((one) => one.detail).join(" ");
  return html`
    <section class=${`card verdict ${current.stable ? decision.action : "overloaded"}`}>
      <p class="sentence"><strong>${SENTENCES[decision.action]}</strong> ${why}</p>
      <dl class="figures">
        <div>
          <dt>E[T] ${decision.measured_sojourn_seconds === null ? "estimated" : "measured"}</dt>
          <dd>${current.stable ? duration(seconds) : "grows without end"}</dd>
        </div>
        <div>
          <dt>E[T] as recommended</dt>
          <dd>${duration(decision.expected_sojourn_seconds)}</dd>
        </div>
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
          <dd>${rate(decision.counterfactuals.holds_up_to_rate)}</dd>
        </div>
        <div>
          <dt>decided on data until</dt>
          <dd>${clock(decision.decided_for)} UTC (${ago(decision.decided_for)})</dd>
        </div>
      </dl>
    </section>
  `;
}

export function Why({ decision }) {
  const { counterfactuals: other, basis } = decision;
  const { outcome, current: { evidence } } = decision;
  const fewerRate = other.one_fewer_up_to_rate;
  return html`
    <section class="card">
      <h2>Why</h2>
      <ul>
        ${decision.reasons.map((one) => html`<li>${one.detail} <${Code} of=${one} /></li>`)}
        ${decision.constraints.map((one) => html`<li>Bound: ${one.detail} <${Code} of=${one} /></li>`)}
      </ul>
      <p>
        With one processor fewer E[T] would be ${duration(other.one_fewer_sojourn_seconds)}
        ${fewerRate === null ? "" : `, and it would hold up to ${rate(fewerRate)}`}.${" "}
        As recommended it holds up to ${rate(other.holds_up_to_rate)}.
      </p>
      ${decision.catching_up && html`<p>${decision.catching_up.detail}</p>`}
      ${outcome && html`<p>Outcome: ${outcome.state}${describeMeasured(outcome)}.</p>`}
      <p class="quiet">
        From ${count(basis.snapshots)} snapshots of revision ${basis.revision}, ${clock(
          basis.first_observed_at,
        )} to${" "}
        ${clock(basis.last_observed_at)} UTC.${" "}
        ${evidence?.known_error && html`
          For this kind of input the estimate errs by ${percent(evidence.known_error)} on average.
        `}
      </p>
      ${decision.diagnostics.length > 0 && html`
        <details open>
          <summary>What to know of the data (${decision.diagnostics.length})</summary>
          <ul>${decision.diagnostics.map((one) => html`<li>${one.detail} <${Code} of=${one} /></li>`)}</ul>
        </details>
      `}
    </section>
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
