// Where is the bottleneck, and what should I do?
import { html, useEffect, useState } from "./view.js";
import { at } from "./api.js";
import { DemoNote, LiveNote } from "./demo.js";
import { useMeasuredUntil } from "./freshness.js";
import { REFRESH_MILLISECONDS, Trouble, useAnswer, useLast, useTerms, Waiting } from "./hooks.js";
import { Operators } from "./operators.js";
import { LEVEL, OverTime } from "./over_time.js";
import { Policy } from "./policy.js";
import { askRange, POINTS, readRange, writeRange } from "./range.js";
import { Tabs } from "./tabs.js";
import { Undecided } from "./undecided.js";
import { advise, Verdict } from "./verdict.js";
import { Why } from "./why.js";

/** @typedef {{operator: string | null, range: import("./range.js").Range}} Terms what the address says */

/** @param {{name: string, query: URLSearchParams, session: {may_store: boolean}}} props */
export function TopologyPage({ name, query, session }) {
  const [terms, setTerms] = useTerms(query, readTerms, (those) => writeAddress(name, those));
  // Both are asked at once: neither waits for the other.
  const topology = useAnswer(at(name));
  const [every, setEvery] = useState(REFRESH_MILLISECONDS);
  const newest = useAnswer(at(name, "/decisions?limit=20"), undefined, every);
  return html`
    <div class="page">
      <h1>${name}</h1>
      ${topology.answer && html`<${Tabs} name=${name} on="topology" />`}
      <${Trouble} problem=${topology.problem} />
      <${Waiting} of=${topology} />
      ${topology.answer?.source === "demo" && html`<${DemoNote} name=${name} may_store=${session.may_store} />`}
      ${topology.answer?.source === "demo" && html`<${LiveNote} name=${name} may_store=${session.may_store} />`}
      ${topology.answer && html`
        <${Parts} name=${name} topology=${topology.answer} newest=${newest} session=${session}
          terms=${terms} onTerms=${setTerms} onPace=${setEvery} />
      `}
      ${topology.problem && !topology.answer && html`<p><a href="#/">All topologies</a></p>`}
    </div>
  `;
}

/**
 * @typedef {import("./hooks.js").Found} Found
 * @param {{name: string, topology: any, newest: Found, terms: Terms,
 *   onTerms: (terms: Terms) => void, onPace: (milliseconds: number) => void, session: {may_store: boolean}}} props
 */
function Parts({ name, topology, newest, terms, onTerms, onPace, session }) {
  const id = newest.answer?.standing ?? null;
  const none = newest.answer !== null && id === null;
  const { answer, problem } = useAnswer(id && `/v1/decisions/${id}`);
  const last = useLast(answer);
  const decision = id && last?.basis.topology === name ? last : null;
  const listed = useAnswer(none ? `/v1/overview?limit=500&contains=${encodeURIComponent(name)}` : null);
  const row = listed.answer?.items.find((one) => one.name === name) ?? null;
  // Without a decision the newest snapshot says how busy the operators are.
  const busy = useAnswer(row?.measured_until ? at(name, "/what-if") : null, {});
  const pace = findPace(decision);
  useEffect(() => onPace(pace), [pace]);
  useMeasuredUntil(decision?.decided_for ?? row?.measured_until, Boolean(decision?.withheld));
  // What was takes the service longest, so it waits for what to do.
  const past = usePast(name, terms.range, Boolean(decision || row || problem), Boolean(decision && !decision.withheld));
  return html`
    <${Trouble} problem=${newest.problem ?? problem ?? listed.problem} />
    ${row && html`<${Undecided} row=${row} topology=${topology} session=${session} />`}
    ${decision && html`<${Verdict} decision=${decision} />`}
    <div class="columns ${decision?.withheld ? "old" : ""}">
      <${Operators} topology=${topology} asked=${terms.operator} estimate=${decision?.current ?? busy.answer?.current ??
        null}
        processors=${decision && !decision.withheld ? advise(decision).processors : null} name=${name}
        basis=${decision?.basis ?? busy.answer?.basis ?? null} />
      ${decision &&
        html`<${Why} decision=${decision} listed=${(newest.answer?.items ?? []).filter((one) => !one.trial)} />`}
    </div>
    ${decision && html`<${Policy} name=${name} session=${session} />`}
    ${decision && html`<p><a href=${at(name, "/report")}>Report of the newest decision</a></p>`}
    <${OverTime} ...${past} range=${terms.range} onRange=${(range) => onTerms({ ...terms, range })} />
  `;
}

const LEAST_MILLISECONDS = 5000;

/** How often to ask for a newer decision: as often as snapshots come, but for bounds. @param {any} decision */
function findPace(decision) {
  if (!decision) return REFRESH_MILLISECONDS;
  const length = Date.parse(decision.decided_for) - Date.parse(decision.basis.first_observed_at);
  return Math.min(REFRESH_MILLISECONDS, Math.max(LEAST_MILLISECONDS, length / decision.basis.snapshots));
}

const FORECAST_MILLISECONDS = 60000;
/** A forecast needs so many intervals. */
const NEEDED = 31;

/**
 * What the charts show: the series of a range, the newest decisions in it, and the forecast where enough is known.
 * @param {string} name @param {import("./range.js").Range} range @param {boolean} isReady @param {boolean} isFresh
 */
function usePast(name, range, isReady, isFresh) {
  const asked = askRange(range, Date.now());
  const write = (part, query) => at(name, `/${part}?${new URLSearchParams(query)}`);
  const series = useAnswer(isReady ? write("series", { points: String(POINTS), ...asked }) : null);
  const answer = useLast(series.answer);
  const decisions = useAnswer(answer ? write("decisions", { limit: "200", ...asked }) : null);
  const listed = (useLast(decisions.answer)?.items ?? []).filter((one) => !one.trial);
  const known = (answer?.points ?? []).reduce((sum, one) => sum + one.snapshots, 0);
  const forecast = useAnswer(
    isFresh && known >= NEEDED && !range.from
      ? write("forecasts/workload", { level: String(LEVEL), steps: "60" })
      : null,
    undefined,
    FORECAST_MILLISECONDS,
  );
  return { series: { answer, problem: series.problem }, decisions: listed, forecast: forecast.answer };
}

/** @param {URLSearchParams} query @returns {Terms} */
const readTerms = (query) => ({ operator: query.get("operator"), range: readRange(query) });

/** @param {string} name @param {Terms} terms */
function writeAddress(name, { operator, range }) {
  const query = String(new URLSearchParams({ ...(operator === null ? {} : { operator }), ...writeRange(range) }));
  return `#/topologies/${encodeURIComponent(name)}${query && `?${query}`}`;
}
