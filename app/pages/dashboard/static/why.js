// What a decision rests on: its data, the rate to be ready for, the changes before it, and how true its numbers are.
import { html } from "./view.js";
import { at } from "./api.js";
import { ACTIONS, ago, change, clock, count, counted, duration, sentence } from "./format.js";
import { Folded } from "./folded.js";
import { useAnswer } from "./hooks.js";
import { Code, Diagnostics, Reasons } from "./verdict.js";

/** @param {{decision: any, listed: any[]}} props listed: the newest decisions, the newest first */
export function Why({ decision, listed }) {
  const { basis, outcome, observed, sized_for, waits_for } = decision;
  const before = listed.find((one) => one.decided_for < decision.decided_for);
  const data = `Made from ${counted(basis.snapshots, "snapshot")}, measured from ${
    clock(basis.first_observed_at)
  } until ${clock(decision.decided_for)} UTC, and from the description of the topology with number ${
    count(basis.revision)
  } (the first is 1, each change adds 1).`;
  return html`
    <section class="card">
      <h2>What it rests on, and what came before</h2>
      <ol class="timeline">
        <${Step} kind=${decision.action} title=${`${clock(decision.decided_for)} UTC`}>
          ${decision.withheld && html`<${Reasons} of=${decision} />`}
          <p class="quiet">${data}</p>
        <//>
        ${sized_for && !waits_for && html`
          <${Step} title="The rate to be ready for">
            <p>${sized_for.detail}${" "}${sized_for.source === "forecast" &&
              html`<${Covered} name=${basis.topology} />`}</p>
            <//>
        `}
        ${!waits_for && html`
          <${Step} title="One processor fewer">
            <p>${sentence(decision.counterfactuals.one_fewer_detail)}</p>
            <//>
        `}
        ${decision.catching_up && html`
          <${Step} title="What waits now">
            <p>${sentence(decision.catching_up.detail)}</p>
            <//>
        `}
        ${outcome?.source === "reported" && html`
          <${Step} title="What the platform reported">
            <p>Reported: ${outcome.state}${describeMeasured(outcome)}.</p>
            <//>
        `}
        ${observed && html`
          <${Step} title="Since then">
            <p>${sentence(observed.detail)}</p>
            <//>
        `}
        ${before?.observed && html`
          <${Step} title=${`The decision before, on data until ${clock(before.decided_for)} UTC`} kind=${before.action}>
            <p>${sentence(before.observed.detail)}</p>
            <//>
        `}
        <${Changes} listed=${listed.filter((one) =>
          one.action !== "hold" && one !== before && one.id !== decision.id
        )} />
      </ol>
      <${Evidence} of=${decision.current.evidence} />
      <${Diagnostics} of=${decision.diagnostics} />
    </section>
  `;
}

/** @param {{title: string, kind?: string, children?: unknown}} props */
function Step({ title, kind = "", children }) {
  return html`<li class="step ${kind}"><h3>${title}</h3>${children}</li>`;
}

const CHANGES_SHOWN = 5;

/** The changes before, each with its reasons. @param {{listed: any[]}} props */
function Changes({ listed }) {
  return listed.slice(0, CHANGES_SHOWN).map(({ id, action, decided_for, processors, reasons }) =>
    html`
      <${Step} key=${id} kind=${action} title=${`${clock(decided_for)} UTC: ${ACTIONS[action]}, ${
        change(processors.current_total, processors.recommended_total)
      } processors`}>
        <${Folded} summary=${`Its reasons (${ago(decided_for)})`} draw=${() =>
          html`<ul>${reasons.map((one) => html`<li>${sentence(one.detail)} <${Code} of=${one} /></li>`)}</ul>`} />
        <//>
    `
  );
}

/** How often earlier forecasts were right, beside the probability of this one. @param {{name: string}} props */
function Covered({ name }) {
  return useAnswer(at(name, "/past-forecasts?limit=200"), undefined, null).answer?.detail;
}

/** How true the estimated E[T] is. @param {{of: {detail: string, assumed: string[], measured: string[]} | null}} props */
function Evidence({ of }) {
  if (!of) return null;
  return html`
    <details>
      <summary>How true the estimated E[T] is</summary>
      <p>${of.detail}</p>
      ${of.measured.length > 0 && html`<p>Measured: ${of.measured.join(", ")}.</p>`}
      ${of.assumed.length > 0 && html`
        <p>Assumed, because it was not measured:</p>
        <ul>${of.assumed.map((one) => html`<li>${sentence(one)}</li>`)}</ul>
      `}
    </details>
  `;
}

/** @param {{measured_seconds: number | null, expected_seconds: number | null}} outcome */
function describeMeasured({ measured_seconds, expected_seconds }) {
  return measured_seconds === null
    ? ""
    : `, with a measured E[T] of ${duration(measured_seconds)}, where ${duration(expected_seconds)} was expected`;
}
