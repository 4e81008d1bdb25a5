// A decision in words: what to do, its numbers, and why.
import { html } from "./view.js";
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
import { Patch } from "./patch.js";
import { Term } from "./terms.js";

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
      <div class="split">
        <div>
          <p class="sentence"><strong>${sentence(todo)}</strong>${effect}</p>
          <${Glance} decision=${decision} />
          ${current.evidence && html`<p class="known-error"><b>How true:</b> ${current.evidence.detail}</p>`}
          ${figures}
        </div>
        <${Patch} decision=${decision} />
      </div>
    </section>
  `;
}

/** The three numbers of a decision: what runs and should run, how long a tuple takes, how much more load is carried. */
function Glance({ decision }) {
  const { processors: { current_total: runs, recommended_total: wanted }, policy } = decision;
  const target = policy.goal.t_max_seconds ?? policy.goal.target?.seconds ?? null;
  const measured = decision.measured_sojourn_seconds;
  const now = measured ?? (decision.current.stable ? decision.current.expected_sojourn_seconds : null);
  const expected = decision.corrected_sojourn_seconds ?? decision.expected_sojourn_seconds;
  const reach = decision.counterfactuals.holds_up_to_rate;
  const time = now === null && !decision.current.stable ? UNBOUNDED : duration(now);
  const isChange = decision.action !== "hold";
  const misses = target !== null && (now === null ? !decision.current.stable : now > target);
  return html`
    <div class="glance">
      <${Big} name=${html`<${Term} of="processors" />`} from=${count(runs)} to=${wanted === runs ? null : count(wanted)}
        direction=${wanted - runs} note=${wanted === runs ? "nothing changes" : `${signedCount(wanted - runs)}`} />
      <${Big} name=${html`<${Term} of="E[T]" />${measured === null ? " estimated" : " measured"}`} from=${time}
        to=${isChange ? duration(expected) : null} direction=${isChange && now !== null ? expected - now : 0}
        isBad=${misses} note=${target === null
          ? "no target"
          : `${misses ? "▲ above" : "✓ within"} the target of ${duration(target)}`} />
      <${Big} name=${html`rate now, and <${Term} of="headroom" />`} from=${rate(
        decision.external_rate,
      )} to=${reach === null ? null : rateLimit(reach)} direction=${0} note=${reach === null
        ? ""
        : `${nameReach(wanted, target !== null)} ${rateLimit(reach)}`} />
    </div>
  `;
}

/** @param {number} value */
const signedCount = (value) => `${value > 0 ? "+" : "−"}${counted(Math.abs(value), "processor")}`;

/**
 * @param {{name: unknown, from: string, to?: string | null, direction?: number, note: string, isBad?: boolean}} props
 * direction: above 0 it rises, below 0 it falls
 */
export function Big({ name, from, to = null, direction = 0, note, isBad = false }) {
  const sign = direction > 0 ? "↗" : direction < 0 ? "↘" : "→";
  return html`
    <div class="big ${isBad ? "bad" : ""}">
      <span class="big-name">${name}</span>
      <span class="big-value">${from}${to !== null && html`<span class="arrow">${sign}</span>`}${to}</span>
      <span class="big-note">${note}</span>
    </div>
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
