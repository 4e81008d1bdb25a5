// How a target was kept, at which price, and what kept VMs from serving more: a sentence each, none for what is not known.
import { html } from "./view.js";
import { count, counted, short } from "./format.js";

/** What keeps VMs from serving more, and why steps are missed; planner/vms/misses.py has the same words. @type {Record<string, string>} */
const REASONS = {
  target: "the target",
  nothing: "nothing, for no step was missed",
  price: "the price of a missed step",
  "price-cap": "the highest price that the target is worth",
  "max-vms": "the largest number of VMs that is allowed",
  jump: "rates that were not expected",
  scatter: "throughputs below their mean",
  belief: "mean throughputs lower than believed",
  "first-hours": "the first six hours, in which little is known",
};

const DAYS_SHOWN = 5;

/** @param {number} value */
const share = (value) => `${short(100 * value, 4)}%`;

/**
 * The sentences of a schedule, or of one run of a backtest. What `verdict` says of a schedule is not said again.
 * @param {{of: any, isRun?: boolean}} props
 */
export function Kept({ of, isRun = false }) {
  const said = [
    ...describeShares(of, isRun),
    ...describePrice(of, isRun),
    of.binding && `What ${isRun ? "kept the run" : "keeps the schedule"} from serving more: ${REASONS[of.binding]}.`,
    ...describeMisses(of),
  ].filter(Boolean);
  return said.length > 0 && html`<ul class="kept">${said.map((one) => html`<li key=${one}>${one}</li>`)}</ul>`;
}

/** @param {any} of @param {boolean} isRun */
function describeShares(of, isRun) {
  if (typeof of.kept_so_far !== "number") return [];
  const { kept_so_far, least_kept, most_kept, debt_steps, expected, kept_with_demand } = of;
  const debt = debt_steps === null
    ? ""
    : `, ${short(Math.abs(debt_steps))} missed steps ${debt_steps > 0 ? "more" : "fewer"} than the target allows`;
  return [
    `Kept so far: ${share(kept_so_far)} (${share(least_kept)} to ${share(most_kept)} by chance)${debt}.`,
    isRun && expected !== null && `The policy expected to serve ${share(expected)}.`,
    isRun && kept_with_demand !== null && kept_with_demand !== kept_so_far &&
    `Of the steps with demand, ${share(kept_with_demand)} were served.`,
    !isRun && !of.judgeable && "The record is too short: chance decides whether it keeps the target.",
  ];
}

/** @param {any} of @param {boolean} isRun */
function describePrice(of, isRun) {
  if (typeof of.price !== "number") return [];
  const counts = isRun ? "counted at the end of the run" : "counts";
  return [
    `A missed step ${counts} as much as ${short(of.price)} VMs for a step; the most allowed is ${short(of.price_cap)}.`,
    !isRun && of.kept_so_far === null &&
    "Without a record of the VMs that ran, the target chose the VMs above, and not this price.",
  ];
}

/** @param {any} of */
function describeMisses(of) {
  const causes = Object.entries(of.misses ?? {}).filter(([, many]) => many > 0).sort(([, one], [, other]) =>
    other - one
  );
  const days = of.days_below ?? [];
  const named = days.slice(0, DAYS_SHOWN).map((one) =>
    `day ${count(one.day)} with ${share(one.served)}, mostly because of ${REASONS[one.cause]}`
  );
  const more = days.length > DAYS_SHOWN ? `; and ${counted(days.length - DAYS_SHOWN, "other day")}` : "";
  return [
    causes.length > 0 &&
    `Missed steps: ${causes.map(([cause, many]) => `${count(many)} because of ${REASONS[cause]}`).join(", ")}.`,
    days.length > 0 && `More than a point below the target: ${named.join("; ")}${more}.`,
  ];
}
