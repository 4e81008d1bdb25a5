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
  short,
  snapshots,
  UNBOUNDED,
} from "./format.js";
import { Patch } from "./patch.js";
import { Term } from "./terms.js";

/** @typedef {[name: string, value: string]} Figure a number, and of what it is */

/**
 * What should run by a decision, E[T] with it and the rate up to which it is enough: as recommended, or as the last
 * change says for which the decision waits.
 */
export function advise(decision) {
  const { processors, waits_for: change, counterfactuals } = decision;
  const recommended = decision.wanted ?? processors.recommended;
  return {
    processors: { current: processors.current, recommended },
    runs: processors.current_total,
    wanted: Object.values(recommended).reduce((sum, one) => sum + one, 0),
    isChange: Object.entries(recommended).some(([name, count]) => count !== processors.current[name]),
    seconds: change
      ? change.expected_sojourn_seconds
      : decision.corrected_sojourn_seconds ?? decision.expected_sojourn_seconds,
    // While it waits for others of its fleet, what runs goes on.
    reach: decision.after?.length ? null : (change ?? counterfactuals).holds_up_to_rate,
  };
}

export function Verdict({ decision }) {
  const { current, withheld } = decision;
  const figures = html`<${Figures} of=${listFigures(decision)} />`;
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
          ${isNewer(decision) && html`
            <p role="note">Nothing was decided on the newest measurements yet. ${decision.data.detail}</p>
          `}
          <${Glance} decision=${decision} />
          <h2>Why</h2>
          <${Reasons} of=${decision} />
          ${current.evidence && html`<p class="known-error"><b>How true:</b> ${current.evidence.detail}</p>`}
          <details><summary>Each number, and what it is of</summary>${figures}</details>
        </div>
        <${Patch} decision=${decision} />
      </div>
    </section>
  `;
}

/** Why a decision is as it is, and what limited it. @param {{of: any}} props */
export function Reasons({ of: { reasons, constraints } }) {
  return html`
    <ul class="reasons">
      ${reasons.map((one) => html`<li>${sentence(one.detail)} <${Code} of=${one} /></li>`)}
      ${constraints.map((one) => html`<li>Limit: ${sentence(one.detail)} <${Code} of=${one} /></li>`)}
    </ul>
  `;
}

/** The three numbers of a decision: what runs and should run, how long a tuple takes, how much more load is carried. */
function Glance({ decision }) {
  const { runs, wanted, isChange, seconds: expected, reach } = advise(decision);
  const { seconds: target, of } = findTarget(decision);
  const measured = decision.measured_sojourn_seconds;
  const now = measured ?? (decision.current.stable ? decision.current.expected_sojourn_seconds : null);
  const time = now === null && !decision.current.stable ? UNBOUNDED : duration(now);
  // Of a target of another time than E[T] the reasons say whether it is met.
  const misses = target !== null &&
    (of ? isMissed(decision) : now === null ? !decision.current.stable : now > target);
  return html`
    <div class="glance">
      <${Big} name=${html`<${Term} of="processors" />`} from=${count(runs)} to=${wanted === runs ? null : count(wanted)}
        direction=${wanted - runs} note=${wanted !== runs
          ? signedCount(wanted - runs)
          : isChange
          ? "split another way"
          : "nothing changes"} />
      <${Big} name=${html`<${Term} of="E[T]" />${measured === null ? " estimated" : " measured"}`} from=${time}
        to=${isChange ? duration(expected) : null} direction=${isChange && now !== null && expected !== null
          ? expected - now
          : 0}
        isBad=${misses} note=${target === null
          ? "no target"
          : `${misses ? "▲ above" : "✓ within"} the target of ${duration(target)}${of}`} />
      <${Big} name=${html`rate now, and <${Term} of="headroom" />`} from=${rate(
        decision.external_rate,
      )} to=${reach === null ? null : rateLimit(reach)} direction=${0} note=${reach === null
        ? ""
        : `${nameReach(wanted, target !== null)} ${rateLimit(reach)}`} />
    </div>
  `;
}

/** Whether newer measurements are stored than those of the decision. */
const isNewer = ({ data, decided_for }) => data !== null && Date.parse(data.measured_until) > Date.parse(decided_for);

const isMissed = ({ reasons }) => reasons.some((one) => one.code === "target-missed");

/** The target of a decision, and what it limits unless that is E[T]. @returns {{seconds: number | null, of: string}} */
function findTarget({ policy: { goal } }) {
  const { t_max_seconds: seconds, target } = goal;
  if (!target) return { seconds: seconds ?? null, of: "" };
  const level = target.quantile === null ? "the mean" : `p${short(100 * target.quantile, 10)}`;
  const isMean = target.of === "total" && target.quantile === null;
  return {
    seconds: target.seconds,
    of: isMean ? "" : ` for ${level}${target.of === "completion" ? " of the time to completion" : ""}`,
  };
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
function listFigures(decision) {
  const { runs, wanted, isChange, seconds: expected, reach } = advise(decision);
  const { current, basis, external_rate, waits_for: changed } = decision;
  const { seconds: target, of: limits } = findTarget(decision);
  const span = isNewer(decision)
    ? snapshots(basis.snapshots).replace("newest", "decision's")
    : snapshots(basis.snapshots);
  const estimated = current.stable ? duration(current.expected_sojourn_seconds) : UNBOUNDED;
  const now = rate(external_rate);
  const corrected = decision.corrected_sojourn_seconds === null ? "" : ", corrected by measured waits";
  const of = changed ? `as decided on data until ${clock(changed.decided_for)} UTC` : `at ${now}${corrected}`;
  /** @type {(Figure | null)[]} */
  const figures = [
    ["processors", change(runs, wanted)],
    [`rate, ${span}`, now],
    decision.measured_sojourn_seconds === null
      ? null
      : [`measured E[T], ${span}`, duration(decision.measured_sojourn_seconds)],
    [`estimated E[T] of the ${count(runs)} that run, at ${now}`, estimated],
    isChange ? [`expected E[T] of ${count(wanted)}, ${of}`, duration(expected)] : null,
    target === null ? null : ["target", `${duration(target)}${limits}`],
    [nameReach(wanted, target !== null), rateLimit(reach)],
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
