// Who shares one budget, and where would the next processor help most?
import { html } from "./view.js";
import { ago, change, count, counted, duration, sentence, UNKNOWN } from "./format.js";
import { Nothing } from "./empty.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

export function FleetPage() {
  // The list, since an address without an answer is an error in the browser's console.
  const list = useAnswer("/v1/fleet/decisions?limit=1");
  const [newest] = list.answer?.items ?? [];
  const found = useAnswer(newest ? "/v1/fleet/decisions/latest" : null);
  const decision = found.answer;
  return html`
    <div class="page">
      <h1>Who gets the next processor?</h1>
      <${Trouble} problem=${list.problem ?? found.problem} />
      ${!list.answer && html`<${Waiting} of=${list} />`}
      ${list.answer && !newest && html`<${Empty} />`}
      ${decision && html`<${Budget} decision=${decision} />`}
      ${decision && html`<${Shares} rows=${decision.topologies} stale=${decision.stale} />`}
    </div>
  `;
}

function Empty() {
  return html`
    <section class="card empty">
      <${Nothing} says="No decision about topologies that share a budget is stored yet." />
      <p>Store the budget by PUT /v1/fleet/policy, and decide:</p>
      <pre>headgate fleet decide</pre>
    </section>
  `;
}

/** The parts of the budget: what topologies that keep to a plan have, others, the reserve, and what is free. */
function listParts(decision) {
  const total = (state) =>
    decision.topologies.filter((row) => row.state === state).reduce((sum, row) => sum + row.processors_total, 0);
  const reserved = Math.min(decision.reserve?.processors ?? 0, decision.unused_processors);
  return [
    ["planned", "shared", total("planned")],
    ["held", "kept as they run", total("held")],
    ["reserved", "kept for the common peak", reserved],
    ["free", "free", decision.unused_processors - reserved],
  ].filter(([, , many]) => many > 0);
}

function Budget({ decision }) {
  const parts = listParts(decision);
  const whole = Math.max(decision.k_max, decision.processors_total);
  const said = parts.map(([, words, many]) => `${count(many)} ${words}`).join(", ");
  let from = 0;
  const bars = parts.map(([name, , many]) => {
    const bar = html`<rect class=${name} x=${(1000 * from) / whole} width=${(1000 * many) / whole} height="40" />`;
    from += many;
    return bar;
  });
  const needs = (1000 * Math.min(decision.needed, whole)) / whole;
  return html`
    <section class="card">
      <h2>${counted(decision.k_max, "processor")}: ${said}</h2>
      <svg class="budget" viewBox="0 0 1000 40" preserveAspectRatio="none" role="img"
        aria-label=${`${said}; all targets take ${count(decision.needed)}`}>
        ${bars}
        <line x1=${needs} x2=${needs} y1="0" y2="40" />
      </svg>
      <p>${decision.detail}</p>
      <p class="quiet">
        The line stands at ${count(decision.needed)}, which every target that can be met takes. Measured
        ${` ${ago(decision.decided_for)}`}.
      </p>
    </section>
  `;
}

const COLUMNS = [
  "topology",
  "one more processor",
  "processors → share",
  "target takes",
  "E[T] with the share",
  "target",
  "turn",
];

/** Those first that the next processor would help most; what is held comes last. */
function compareRows(one, other) {
  const [mine, theirs] = [one, other].map((row) => row.one_more_seconds ?? 0);
  return Number(one.state === "held") - Number(other.state === "held") || mine - theirs ||
    one.name.localeCompare(other.name);
}

function Shares({ rows, stale }) {
  if (!rows.length) return html`<${Nothing} says="No topology shares the budget." />`;
  return html`
    <section class="card">
      <h2>Topologies by what the next processor would bring each</h2>
      <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
        <table class="wide topologies">
          <thead>
            <tr>${COLUMNS.map((one) => html`<th scope="col">${one}</th>`)}</tr>
          </thead>
          <tbody>${[...rows].sort(compareRows).map((row) =>
            html`<${Share} row=${row} isStale=${stale.includes(row.name)} key=${row.name} />`
          )}</tbody>
        </table>
      </div>
    </section>
  `;
}

function Share({ row, isStale }) {
  const more = row.one_more_seconds === null ? UNKNOWN : `−${duration(-row.one_more_seconds)} at ${row.next_operator}`;
  const turn = isStale || row.turn === null ? UNKNOWN : row.after.length ? `after ${row.after.join(", ")}` : "at once";
  const cells = [
    more,
    isStale ? UNKNOWN : change(row.running, row.processors_total),
    count(row.needed),
    duration(row.expected_sojourn_seconds),
    duration(row.target_seconds),
    turn,
  ];
  const said = isStale
    ? "Its measurements are too old to act on. Send a snapshot, then decide again."
    : row.lost ?? (row.state === "held" ? row.detail : null);
  return html`
    <tr>
      <th scope="row">
        <a class="name" title=${row.name} href=${`#/topologies/${encodeURIComponent(row.name)}`}>${row.name}</a>
        ${said && html`<span class="detail">${sentence(said)}</span>`}
      </th>
      ${cells.map((text, place) => html`<td data-label=${COLUMNS[place + 1]}>${text}</td>`)}
    </tr>
  `;
}
