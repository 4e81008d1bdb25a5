// The topologies as a table: in the order of urgency or of any column, alone or by label.
import { html, useState } from "./view.js";
import { TargetLine } from "./sparkline.js";
import { Nothing } from "./empty.js";
import { ago, change, counted, duration, percent, rate, rateLimit, sentence, UNKNOWN } from "./format.js";

/** @type {Record<string, string>} */
export const SIGNS = {
  overloaded: "▲ overloaded",
  "target-missed": "▲ target missed",
  "target-missed-estimated": "▲ target missed (estimated)",
  "ahead-of-clock": "◌ ahead of the clock",
  stale: "◌ stale",
  "change-wanted": "● change wanted",
  "rate-above-reach": "● rate above the limit",
  undecided: "○ undecided",
  "no-policy": "○ no policy",
  "no-measurements": "○ no measurements",
  fine: "✓ fine",
};

/** The share of judged time that was within the target. @param {number} judged @param {number} kept */
export const writeKept = (judged, kept) => (judged > 0 ? percent(kept / judged) : UNKNOWN);

const SEVERITY = Object.keys(SIGNS);

const E_T = "E[T]";
/** The target, and what it limits unless that is E[T]. */
const writeTarget = ({ target_seconds: seconds, target_of: of }) =>
  of === null || of === E_T ? duration(seconds) : `${duration(seconds)} for ${of}`;

/** The newest E[T]: measured, or estimated. */
const findSeconds = (row) => row.measured_sojourn_seconds ?? row.expected_sojourn_seconds;

/**
 * @typedef {{title: string, of: (row: any) => number | string | null, write: (row: any) => string,
 *   says?: (row: any) => string}} Column
 * @type {Column[]}
 */
const COLUMNS = [
  {
    title: "E[T], newest",
    of: findSeconds,
    write: (row) => duration(findSeconds(row)),
    says: (row) => row.measured_sojourn_seconds === null ? "estimated" : "measured",
  },
  { title: "target", of: (row) => row.target_seconds, write: writeTarget },
  {
    title: "within it, 7 days",
    of: (row) => (row.judged_minutes > 0 ? row.kept_minutes / row.judged_minutes : null),
    write: (row) => writeKept(row.judged_minutes, row.kept_minutes),
    says: (row) => `of ${duration(60 * row.judged_minutes)} with a measured E[T]`,
  },
  {
    title: "processors → recommended",
    of: (row) => row.processors_running,
    write: (row) => change(row.processors_running, row.processors_recommended),
  },
  { title: "rate, newest", of: (row) => row.external_rate, write: (row) => rate(row.external_rate) },
  {
    title: "recommended processors are enough up to",
    of: (row) => row.holds_up_to_rate,
    write: (row) => rateLimit(row.holds_up_to_rate),
  },
  { title: "measured", of: (row) => row.measured_until, write: (row) => ago(row.measured_until) },
];
/** @type {{title: string, of: (row: any) => number | string | null}[]} */
const ALL = [
  { title: "topology", of: (row) => row.name },
  { title: "status", of: (row) => SEVERITY.indexOf(row.status) },
  ...COLUMNS,
];
/** So many columns stand before the drawing of a day. */
const BEFORE_DAY = 2;
const OF_DAY = "E[T] of a day, and the target";

/** @typedef {{column: string, isDown: boolean} | null} Order null: as the service has it, the most urgent first */

/** @param {{rows: any[]}} props */
export function OverviewTable({ rows }) {
  const [order, setOrder] = useState(/** @type {Order} */ (null));
  const [isGrouped, setGrouped] = useState(false);
  const hasLabels = rows.some((one) => one.labels.length > 0);
  const turn = (column) => setOrder(turnOrder(order, column));
  const sorted = sortRows(rows, order);
  /** @type {[string, any[]][]} */
  const groups = isGrouped && hasLabels ? groupRows(sorted) : [["", sorted]];
  if (!rows.length) return html`<${Nothing} says="No topology is like that." />`;
  return html`
    ${hasLabels && html`
      <label><input type="checkbox" checked=${isGrouped} onChange=${(event) =>
        setGrouped(event.target.checked)} />${" "}
        by label</label>
    `}
    <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="wide topologies">
        <thead>
          <tr>
            ${ALL.slice(0, BEFORE_DAY).map(({ title }) =>
              html`<${Heading} title=${title} order=${order} onTurn=${() => turn(title)} />`
            )}
            <th scope="col">${OF_DAY}</th>
            ${ALL.slice(BEFORE_DAY).map(({ title }) =>
              html`<${Heading} title=${title} order=${order} onTurn=${() => turn(title)} />`
            )}
          </tr>
        </thead>
        ${groups.map(([label, of]) =>
          html`
            <tbody key=${label}>
              ${isGrouped && hasLabels && html`
                <tr class="group">
                  <th scope="rowgroup" colspan=${ALL.length + 1}>${label || "without a label"}${" "}
                  <span class="quiet">${counted(of.length, "topology").replace("topologys", "topologies")}</span></th>
                </tr>
              `}
              ${of.map((row) => html`<${Line} row=${row} key=${row.name} />`)}
            </tbody>
          `
        )}
      </table>
    </div>
  `;
}

/** Up, then down, then as the service has it. @param {Order} order @param {string} column @returns {Order} */
function turnOrder(order, column) {
  if (order?.column !== column) return { column, isDown: false };
  return order.isDown ? null : { column, isDown: true };
}

/** @param {{title: string, order: Order, onTurn: () => void}} props */
function Heading({ title, order, onTurn }) {
  const isOrder = order?.column === title;
  return html`
    <th scope="col" aria-sort=${isOrder ? (order?.isDown ? "descending" : "ascending") : undefined}>
      <button class="plain" onClick=${onTurn}>${title}${isOrder ? (order?.isDown ? " ▾" : " ▴") : ""}</button>
    </th>
  `;
}

/** The rows in order, those that do not know last. @param {any[]} rows @param {Order} order */
function sortRows(rows, order) {
  const of = ALL.find((one) => one.title === order?.column)?.of;
  if (!order || !of) return rows;
  const side = order.isDown ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [of(a), of(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return side * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)));
  });
}

/** The rows below their first label, those without one last. @param {any[]} rows @returns {[string, any[]][]} */
function groupRows(rows) {
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const row of rows) groups.set(row.labels[0] ?? "", [...(groups.get(row.labels[0] ?? "") ?? []), row]);
  return [...groups].sort(([a], [b]) => Number(a === "") - Number(b === "") || a.localeCompare(b));
}

function Line({ row }) {
  const last = row.day.findLast((one) => one !== null) ?? null;
  const target = row.target_seconds === null ? "no target" : `the target is ${writeTarget(row)}`;
  return html`
    <tr>
      <th scope="row">
        <a class="name" title=${row.name} href=${`#/topologies/${encodeURIComponent(row.name)}`}>${row.name}</a>
        ${row.labels.map((one) => html`<span class="label">${one}</span>`)}
      </th>
      <td>
        <span class="status ${row.status}">${SIGNS[row.status]}</span>
        <span class="detail" title=${row.detail}>${sentence(row.detail)}</span>
      </td>
      <td>
        <${TargetLine} values=${row.day} target=${row.target_of === E_T ? row.target_seconds : null}
          label=${`E[T] of the last 24 hours, newest ${duration(last)}; ${target}`} />
      </td>
      ${COLUMNS.map(({ title, write, says }) => html`<td title=${says?.(row)} data-label=${title}>${write(row)}</td>`)}
    </tr>
  `;
}
