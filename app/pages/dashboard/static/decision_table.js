// Decisions as a table: what each expected, what the snapshots show of it, and what was reported.
import { html } from "./view.js";
import { Code } from "./verdict.js";
import { Folded } from "./folded.js";
import { ACTIONS, change, clock, duration, rate, sentence, signed, UNKNOWN } from "./format.js";

/** @type {Record<string, string>} */
const STATES = {
  held: "nothing to apply",
  waiting: "not yet",
  "partly-applied": "in part",
  "not-applied": "not applied",
  unknown: "not known",
};

const COLUMNS = [
  "on data until (UTC)",
  "action",
  "processors",
  "mean rate",
  "applied (UTC)",
  "E[T] before",
  "expected E[T]",
  "measured E[T]",
  "measured to expected",
  "limit",
  "reported",
];

export function DecisionTable({ rows }) {
  return html`
    <div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="wide decisions">
        <thead>
          <tr>${COLUMNS.map((one) => html`<th scope="col">${one}</th>`)}</tr>
        </thead>
        ${rows.map((one) => html`<${Pair} decision=${one} key=${one.id} />`)}
      </table>
    </div>
  `;
}

/** A decision's numbers, and below them what became of it and why it was made, in words. */
function Pair({ decision }) {
  const { observed, processors, outcome } = decision;
  const disagreements = observed?.diagnostics ?? [];
  return html`
    <tbody class="pair">
      <tr>
        <th scope="row">${clock(decision.decided_for)}</th>
        <td title=${decision.action}>${ACTIONS[decision.action]}${decision.trial ? " (a trial)" : ""}</td>
        <td>${change(processors.current_total, processors.recommended_total)}</td>
        <td>${rate(decision.external_rate)}</td>
        <td>${describeApplied(decision)}</td>
        <td>${duration(observed?.before_seconds)}</td>
        <td>${duration(observed?.expected_seconds)}</td>
        <td>${duration(observed?.measured_seconds)}</td>
        <td>${signed(observed?.relative_error)}</td>
        <td>${sayJudged(observed)}</td>
        <td>${outcome?.source === "reported" ? describeReport(outcome) : UNKNOWN}</td>
      </tr>
      <tr>
        <td colspan=${COLUMNS.length}>
          <span class="detail">
            ${sentence(observed?.detail ?? "")}${" "}
            ${disagreements.map((one) => html`▲ ${sentence(one.detail)}${" "}`)}
            <${Folded} summary="Why" draw=${() =>
              html`<ul>${
                decision.reasons.map((one) => html`<li>${sentence(one.detail)} <${Code} of=${one} /></li>`)
              }</ul>`} />
          </span>
        </td>
      </tr>
    </tbody>
  `;
}

/** When it was applied, or why that is not known. */
export function describeApplied({ observed, action }) {
  if (action === "hold") return STATES.held;
  if (observed?.applied_at) return clock(observed.applied_at);
  return STATES[observed?.state] ?? UNKNOWN;
}

/** Whether E[T] kept to the target, or without a target to the expected E[T] and its known error. @param {boolean} kept */
export const sayWithin = (kept) => (kept ? "✓ within" : "▲ above");

/**
 * Whether the time in which a decision is judged is over. One interval above the limit is known before that, and only the
 * end shows that all were within.
 */
export const isOver = (observed) => !(Date.parse(observed?.judged_until ?? "") > Date.now());

/** Whether a decision was kept, as far as its time is over. */
function sayJudged(observed) {
  const isKnown = (observed?.kept ?? null) !== null;
  if (isOver(observed)) return isKnown ? sayWithin(observed.kept) : UNKNOWN;
  return isKnown ? `${sayWithin(observed.kept)} so far` : "not over";
}

/** Whether a reported E[T] kept to the expected E[T]. @param {boolean} kept */
const sayKept = (kept) => (kept ? "✓ kept" : "▲ missed");

function describeReport({ state, measured_seconds, kept }) {
  return [state, measured_seconds !== null && duration(measured_seconds), kept !== null && sayKept(kept)]
    .filter(Boolean).join(", ");
}
