// Was it right? What earlier decisions expected, when they were applied, and what came.
import { html, useState } from "./view.js";
import { at, call } from "./api.js";
import { DecisionTable, describeApplied, isOver, sayWithin } from "./decision_table.js";
import { Nothing } from "./empty.js";
import { ACTIONS, count, counted } from "./format.js";
import { Trouble, useAnswer, useTerms, Waiting } from "./hooks.js";
import { SeriesCharts } from "./over_time.js";
import { askRange, Lengths, POINTS, readLength } from "./range.js";
import { Tabs } from "./tabs.js";

const MINUTE = 60000;

/**
 * @typedef {import("./range.js").Range & {action: string}} Wanted a length until now, or times as the API takes them;
 * empty: all
 */

/** @param {{name: string, query: URLSearchParams}} props */
export function DecisionsPage({ name, query }) {
  const [wanted, setWanted] = useTerms(query, readWanted, (those) => writeAddress(name, those));
  const asked = wanted.range ? askRange(wanted, Date.now()) : { from: wanted.from, to: wanted.to };
  const path = at(name, `/decisions?${writeQuery({ limit: "100", ...asked, action: wanted.action })}`);
  const found = useAnswer(path);
  const series = useAnswer(at(name, `/series?${writeQuery({ points: String(POINTS), ...asked })}`));
  const { rows, more, problem } = useMore(path, found.answer);
  return html`
    <div class="page">
      <h1>${name}</h1>
      <${Tabs} name=${name} on="decisions" />
      <${Trouble} problem=${found.problem ?? problem} />
      <${Waiting} of=${found} />
      ${series.answer && html`
        <${TimeLine} series=${series.answer} rows=${rows} onZoom=${({ from, to }) =>
          setWanted({ ...wanted, range: "", ...pickMinutes(from, to) })} />
      `}
      <section class="card">
        <h2>Decisions</h2>
        <${Filter} wanted=${wanted} onWant=${(part) => setWanted({ ...wanted, ...part })} />
        ${found.answer && !rows.length && html`<${Empty} name=${name} wanted=${wanted} onAll=${setWanted} />`}
        ${rows.length > 0 && html`
          <${Summary} shown=${rows} />
          <${DecisionTable} rows=${rows} />
        `}
        ${more && html`<p><button onClick=${more}>More</button></p>`}
      </section>
    </div>
  `;
}

/** @typedef {{path: string, items: any[], next?: string | null}} Later what was asked for after the first page */

/**
 * The rows of the first page, which is asked for again and again, and of those that were asked for after it.
 * @param {string} path @param {{items: any[], next: string | null} | null} first
 */
function useMore(path, first) {
  const [later, setLater] = useState(/** @type {Later} */ ({ path, items: [] }));
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const known = later.path === path ? later : { path, items: [] };
  const rows = [...new Map([...known.items, ...(first?.items ?? [])].map((one) => [one.id, one])).values()];
  rows.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  const next = known.next === undefined ? first?.next : known.next;
  const ask = () =>
    call(String(next)).then(
      (page) => setLater({ path, items: [...rows, ...page.items], next: page.next }),
      setProblem,
    );
  return { rows, problem, more: next ? ask : null };
}

const NO_TIMES = { range: "", from: "", to: "" };

/** @param {{wanted: Wanted, onWant: (part: object) => void}} props */
function Filter({ wanted, onWant }) {
  const time = (key) =>
    html`
      <label>
        data ${key} (UTC)${" "}
        <input type="datetime-local" value=${wanted[key].replace(/Z$/, "")}
          onChange=${(event) => onWant({ range: "", [key]: event.target.value && `${event.target.value}Z` })} />
      </label>
    `;
  return html`
    <div class="filter">
      <span class="row ranges" role="group" aria-label="Time of the data">
        <button aria-pressed=${!wanted.range && !wanted.from && !wanted.to} onClick=${() =>
          onWant(NO_TIMES)}>all</button>
        <${Lengths} chosen=${wanted.range} onPick=${(range) => onWant({ ...NO_TIMES, range })} />
      </span>
      ${time("from")} ${time("to")}
      <label>
        action${" "}
        <select value=${wanted.action} onChange=${(event) => onWant({ action: event.target.value })}>
          <option value="">all</option>
          ${Object.entries(ACTIONS).map(([action, words]) => html`<option value=${action}>${words}</option>`)}
        </select>
      </label>
      <p class="quiet">The address of this page holds the filter: share it.</p>
    </div>
  `;
}

/** @param {{name: string, wanted: Wanted, onAll: (wanted: Wanted) => void}} props */
function Empty({ name, wanted, onAll }) {
  if (!wanted.range && !wanted.from && !wanted.to && !wanted.action) {
    return html`<${Nothing} says="There is none yet. POST ${at(name, "/decisions")} makes one." />`;
  }
  return html`
    <p class="quiet">
      No decision is like that.${" "}
      <button onClick=${() => onAll({ ...NO_TIMES, action: "" })}>Show all decisions</button>
    </p>
  `;
}

/** How many of the rows were kept; nothing acts on trials. @param {{shown: any[]}} props */
function Summary({ shown }) {
  const rows = shown.filter((one) => !one.trial);
  const trials = shown.length - rows.length;
  const count_ = (test) => count(rows.filter(test).length);
  const unapplied = rows.filter((one) => one.action !== "hold" && one.observed?.state !== "applied").length;
  return html`
    <p class="counts">
      Of ${count(rows.length)} shown: ${count_((one) => judge(one) === true)} ${sayWithin(true)} the limit,${" "}
      ${count_((one) => judge(one) === false)} ${sayWithin(false)} it,${" "}
      ${count_((one) => judge(one) === null)} not known or not over.${" "}
      ${describeLimits(rows)}${" "}
      ${unapplied > 0 &&
        `${counted(unapplied, "change")} ${
          unapplied === 1 ? "was" : "were"
        } not seen to run: no snapshot shows all recommended processors.`}${" "}
      ${trials > 0 &&
        `${counted(trials, "trial")} below ${trials === 1 ? "does" : "do"} not count: nothing acts on a trial.`}
    </p>
    <p class="quiet">
      E[T] before: as measured when it was decided. Measured E[T]: the mean over all tuples since the processors ran, until
      the next change was possible. Reported: what the platform said of the change.
    </p>
  `;
}

/** Whether a decision whose time is over was kept; null: not known, or its time is not over. @param {any} decision */
const judge = ({ observed }) => isOver(observed) ? observed?.kept ?? null : null;

/**
 * What the limits of these decisions are.
 * @param {any[]} rows
 */
function describeLimits(rows) {
  if (rows.every((one) => one.observed?.limit_source !== "promise")) {
    return "The limit is the target, and one interval above it is enough to be counted so.";
  }
  return "The limit of a decision with a target is the target. Without one it is what the decision expected, and what " +
    "such an expectation may err by (15% where that is not known).";
}

function TimeLine({ series, rows, onZoom }) {
  const xs = series.points.map((one) => Date.parse(one.at));
  const marks = rows.flatMap((one) => {
    const applied = Date.parse(one.observed?.applied_at ?? "");
    if (one.trial || !(applied >= xs[0] && applied <= Date.parse(series.to))) return [];
    const x = Math.min(applied, xs[xs.length - 1]);
    return [{ x, text: `${counted(one.processors.recommended_total, "processor")} from ${describeApplied(one)}` }];
  });
  return html`
    <section class="card">
      <h2>What was decided, and what was measured (UTC)</h2>
      <p class="quiet">An upright line: the processors of a change were first seen to run.</p>
      <${SeriesCharts} series=${series} marks=${marks} decisions=${rows} onZoom=${onZoom} />
    </section>
  `;
}

/** Whole minutes, as the fields of the filter have them. @param {number} from @param {number} to */
function pickMinutes(from, to) {
  const write = (time) => `${new Date(time).toISOString().slice(0, 16)}Z`;
  return { from: write(from), to: write(Math.max(to, from + MINUTE) + MINUTE - 1) };
}

/** @param {URLSearchParams} query @returns {Wanted} */
function readWanted(query) {
  const times = { from: query.get("from") ?? "", to: query.get("to") ?? "" };
  return { range: readLength(query), ...times, action: query.get("action") ?? "" };
}

/** The parts that say something. @param {Record<string, string>} parts */
function writeQuery(parts) {
  return new URLSearchParams(Object.entries(parts).filter(([, value]) => value));
}

/** @param {string} name @param {Wanted} wanted */
function writeAddress(name, wanted) {
  const query = String(writeQuery(wanted));
  return `#/topologies/${encodeURIComponent(name)}/decisions${query && `?${query}`}`;
}
