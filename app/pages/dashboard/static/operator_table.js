// The operators as a table, in the order of any column.
import { html, useState } from "./view.js";
import { change, count, duration, percent, rate, UNBOUNDED } from "./format.js";

const ROWS_AT_ONCE = 100;

/** How tuples reach the processors of an operator, as reports say it too. @type {Record<string, string>} */
const QUEUEINGS = {
  shared: "one queue for all",
  "round-robin": "a queue each, in turn",
  random: "a queue each, at random",
  keyed: "a queue each, by key",
};

/**
 * @typedef {{name: string, queueing: string, utilisation: number | null, arrival_rate: number | null,
 *   service_rate: number | null, wait: number | null, sojourn: number | null, running: number | null,
 *   recommended: number | null, part: number | null, waits: number | null}} Row
 * @typedef {{key: keyof Row, title: string, write: (row: Row) => string}} Column
 * @type {Column[]}
 */
const COLUMNS = [
  { key: "utilisation", title: "busy", write: (row) => percent(row.utilisation) },
  { key: "arrival_rate", title: "arrivals", write: (row) => rate(row.arrival_rate) },
  { key: "service_rate", title: "one processor serves", write: (row) => rate(row.service_rate) },
  { key: "wait", title: "wait", write: (row) => writeTime(row.wait) },
  { key: "sojourn", title: "wait + service", write: (row) => writeTime(row.sojourn) },
  { key: "part", title: "its part of E[T]", write: (row) => writeTime(row.part) },
  { key: "queueing", title: "how tuples queue", write: (row) => QUEUEINGS[row.queueing] ?? row.queueing },
  { key: "running", title: "processors → recommended", write: (row) => change(row.running, row.recommended) },
];

/** A time of an operator; one that cannot keep up has no bound. @param {number | null} seconds */
const writeTime = (seconds) => seconds === Infinity ? UNBOUNDED : duration(seconds);

/** @param {{rows: Row[], picked: string | null, onPick: (name: string) => void}} props */
export function OperatorTable({ rows, picked, onPick }) {
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const [order, setOrder] = useState({ key: /** @type {keyof Row} */ ("utilisation"), isDown: true });
  const sorted = sortRows(rows, order);
  const listed = sorted.slice(0, most);
  const following = Math.min(ROWS_AT_ONCE, rows.length - listed.length);
  const turn = (key) => setOrder({ key, isDown: order.key === key ? !order.isDown : key !== "queueing" });
  return html`
    <div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="wide">
        <thead>
          <tr>
            <${Heading} of=${{ key: "name", title: "operator" }} order=${order} onTurn=${turn} />
            ${COLUMNS.map((one) => html`<${Heading} of=${one} order=${order} onTurn=${turn} />`)}
          </tr>
        </thead>
        <tbody>
          ${listed.map((row) =>
            html`
              <tr class=${row.name === picked ? "picked" : ""} key=${row.name}>
                <th scope="row">
                  <button class="plain" onClick=${() => onPick(row.name)}>${row.name}</button>
                </th>
                ${COLUMNS.map((one) => html`<td>${one.write(row)}</td>`)}
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
    ${following > 0 && html`
      <p>
        ${count(listed.length)} of ${count(rows.length)} operators.${" "}
        <button onClick=${() => setMost(most + ROWS_AT_ONCE)}>Show ${following} more</button>
      </p>
    `}
  `;
}

/**
 * @param {{of: {key: keyof Row, title: string}, order: {key: keyof Row, isDown: boolean},
 *   onTurn: (key: keyof Row) => void}} props
 */
function Heading({ of, order, onTurn }) {
  const isOrder = order.key === of.key;
  const direction = order.isDown ? "descending" : "ascending";
  return html`
    <th scope="col" aria-sort=${isOrder ? direction : undefined}>
      <button class="plain" onClick=${() => onTurn(of.key)}>
        ${of.title}${isOrder ? (order.isDown ? " ▾" : " ▴") : ""}
      </button>
    </th>
  `;
}

/** The rows in order, those that do not know last. @param {Row[]} rows @param {{key: keyof Row, isDown: boolean}} order */
function sortRows(rows, { key, isDown }) {
  const side = isDown ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[key], b[key]];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    if (typeof x === "number" && typeof y === "number") return side * (x - y);
    return side * String(x).localeCompare(String(y));
  });
}
