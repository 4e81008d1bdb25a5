// Which topology needs me?
import { html, useRef, useState } from "./view.js";
import { ago, change, duration, rate, rateLimit, sentence } from "./format.js";
import { Sparkline } from "./chart.js";
import { LoadDemo } from "./demo.js";
import { EmptyDrawing, Nothing } from "./empty.js";
import { useMeasuredUntil } from "./freshness.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

/** @type {Record<string, string>} */
const SIGNS = {
  overloaded: "▲ overloaded",
  "target-missed": "▲ target missed",
  "target-missed-estimated": "▲ target missed (estimated)",
  "ahead-of-clock": "◌ ahead of the clock",
  stale: "◌ stale",
  "change-wanted": "● change wanted",
  undecided: "○ undecided",
  "no-policy": "○ no policy",
  "no-measurements": "○ no measurements",
  fine: "✓ fine",
};

/** The first page of what is asked for. @param {{status: string, contains: string}} wanted */
function writePath({ status, contains }) {
  const query = new URLSearchParams({ limit: "100" });
  if (status) query.set("status", status);
  if (contains.trim()) query.set("contains", contains.trim());
  return `/v1/overview?${query}`;
}

/** @param {{session: {may_store: boolean}}} props */
export function OverviewPage({ session }) {
  const [wanted, setWanted] = useState({ status: "", contains: "" });
  const [following, setFollowing] = useState("");
  const found = useAnswer(following || writePath(wanted));
  // While another page is on its way the last one stays.
  const last = useRef(/** @type {any} */ (null));
  if (found.answer) last.current = found.answer;
  const page = last.current;
  useMeasuredUntil(findNewest(page?.items ?? []));
  const want = (part) => {
    setFollowing("");
    setWanted({ ...wanted, ...part });
  };
  const isAll = !wanted.status && !wanted.contains.trim();
  return html`
    <div class="page">
      <h1>Which topology needs me?</h1>
      <${Trouble} problem=${found.problem} />
      ${!page && html`<${Waiting} of=${found} />`}
      ${page && isAll && !page.items.length && html`<${Empty} session=${session} />`}
      ${page && !(isAll && !page.items.length) && html`
        <section class="card">
          <${Filter} counts=${page.counts} wanted=${wanted} onWant=${want} />
          <${Table} page=${page} />
        </section>
      `}
      <p>
        ${following && html`<button onClick=${() => setFollowing("")}>First page</button>`}${" "}
        ${page?.next && html`<button onClick=${() => setFollowing(page.next)}>More</button>`}${" "}
        ${page?.items.length > 0 && html`<a href="#/fleet">One budget for all</a>`}
      </p>
    </div>
  `;
}

/** The end of the newest snapshot of all rows. @param {{measured_until: string | null}[]} rows @returns {string | null} */
const findNewest = (rows) => rows.map((one) => one.measured_until ?? "").sort().at(-1) || null;

/**
 * @param {{counts: Record<string, number>, wanted: {status: string, contains: string},
 *   onWant: (part: object) => void}} props
 */
function Filter({ counts, wanted, onWant }) {
  const shown = wanted.status && !(wanted.status in counts) ? { ...counts, [wanted.status]: 0 } : counts;
  return html`
    <div class="filter">
      <label>
        name contains${" "}
        <input type="search" value=${wanted.contains} maxlength="200"
          onInput=${(event) => onWant({ contains: event.target.value })} />
      </label>
      <span class="counts">
        ${Object.entries(shown).map(([status, many]) =>
          html`
            <button class="status ${status}" aria-pressed=${wanted.status === status}
              onClick=${() => onWant({ status: wanted.status === status ? "" : status })}>
              ${SIGNS[status]}: ${many}
            </button>${" "}
          `
        )}
      </span>
    </div>
  `;
}

const COLUMNS = [
  "topology",
  "status",
  "E[T], newest",
  "target",
  "processors → recommended",
  "rate, newest",
  "recommended processors are enough up to",
  "measured",
  "rate over time",
];

function Table({ page }) {
  if (!page.items.length) return html`<${Nothing} says="No topology is like that." />`;
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="wide topologies">
        <thead>
          <tr>${COLUMNS.map((one) => html`<th scope="col">${one}</th>`)}</tr>
        </thead>
        <tbody>${page.items.map((row) => html`<${Line} row=${row} key=${row.name} />`)}</tbody>
      </table>
    </div>
  `;
}

function Line({ row }) {
  const seconds = row.measured_sojourn_seconds ?? row.expected_sojourn_seconds;
  const cells = [
    [duration(seconds), row.measured_sojourn_seconds === null ? "estimated" : "measured"],
    [duration(row.target_seconds)],
    [change(row.processors_running, row.processors_recommended)],
    [rate(row.external_rate)],
    [rateLimit(row.holds_up_to_rate)],
    [ago(row.measured_until)],
  ];
  return html`
    <tr>
      <th scope="row">
        <a class="name" title=${row.name} href=${`#/topologies/${encodeURIComponent(row.name)}`}>${row.name}</a>
      </th>
      <td>
        <span class="status ${row.status}">${SIGNS[row.status]}</span>
        <span class="detail">${sentence(row.detail)}</span>
      </td>
      ${cells.map(([text, title], place) => html`<td title=${title} data-label=${COLUMNS[place + 2]}>${text}</td>`)}
      <td>
        <${Sparkline} values=${row.rates} label=${`Newest rate ${rate(row.external_rate)}`} />
      </td>
    </tr>
  `;
}

/** @param {{session: {may_store: boolean}}} props */
function Empty({ session }) {
  return html`
    <section class="card empty">
      <${EmptyDrawing} />
      <h2>Nothing is stored yet</h2>
      <p>Store a topology and a snapshot of its measured load, or let a bridge do both:</p>
      <pre>headgate bridge flink --url http://localhost:8081 --job NAME</pre>
      <p>To look around first, load a small topology with a made-up day of measurements, here or by a command:</p>
      ${session.may_store && html`<${LoadDemo} />`}
      <pre>headgate demo</pre>
      <p><a href="/docs">All calls of the API</a></p>
    </section>
  `;
}
