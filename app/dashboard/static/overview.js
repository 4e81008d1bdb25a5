// Which topology needs me?
import { html, useState } from "./view.js";
import { ago, change, duration, rate } from "./format.js";
import { Sparkline } from "./chart.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

/** @type {Record<string, string>} */
const SIGNS = {
  overloaded: "▲ overloaded",
  "target-missed": "▲ target missed",
  stale: "◌ stale",
  "change-wanted": "● change wanted",
  undecided: "○ undecided",
  "no-policy": "○ no policy",
  "no-measurements": "○ no measurements",
  fine: "✓ fine",
};

const FIRST = "/v1/overview?limit=100";

export function OverviewPage() {
  const [path, setPath] = useState(FIRST);
  const found = useAnswer(path);
  const page = found.answer;
  return html`
    <div class="page">
      <h1>Which topology needs me?</h1>
      <${Trouble} problem=${found.problem} />
      <${Waiting} of=${found} />
      ${page && !page.items.length && html`<${Empty} />`}
      ${page && page.items.length > 0 && html`<${Table} page=${page} />`}
      <p>
        ${path !== FIRST && html`<button onClick=${() => setPath(FIRST)}>First page</button>`}${" "}
        ${page?.next && html`<button onClick=${() => setPath(withoutHost(page.next))}>More</button>`}
      </p>
    </div>
  `;
}

/** @param {string} address */
function withoutHost(address) {
  const { pathname, search } = new URL(address, location.href);
  return pathname + search;
}

const COLUMNS = [
  "topology",
  "status",
  "E[T]",
  "target",
  "processors",
  "rate",
  "holds up to",
  "measured",
  "rate over time",
];

function Table({ page }) {
  return html`
    <div>
      <p class="counts">
        ${Object.entries(page.counts).map(([status, many]) =>
          html`<span class="status ${status}">${SIGNS[status]}: ${many}</span>${" "}`
        )}
      </p>
      <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
        <table class="wide">
          <thead>
            <tr>${COLUMNS.map((one) => html`<th scope="col">${one}</th>`)}</tr>
          </thead>
          <tbody>${page.items.map((row) => html`<${Line} row=${row} key=${row.name} />`)}</tbody>
        </table>
      </div>
    </div>
  `;
}

function Line({ row }) {
  const seconds = row.measured_sojourn_seconds ?? row.expected_sojourn_seconds;
  return html`
    <tr>
      <th scope="row"><a href=${`#/topologies/${encodeURIComponent(row.name)}`}>${row.name}</a></th>
      <td><span class="status ${row.status}">${SIGNS[row.status]}</span><span class="detail">${row.detail}</span></td>
      <td title=${row.measured_sojourn_seconds === null ? "estimated" : "measured"}>${duration(seconds)}</td>
      <td>${duration(row.target_seconds)}</td>
      <td>${change(row.processors_running, row.processors_recommended)}</td>
      <td>${rate(row.external_rate)}</td>
      <td>${rate(row.holds_up_to_rate)}</td>
      <td>${ago(row.measured_until)}</td>
      <td>
        <${Sparkline} values=${row.rates} label=${`Newest rate ${rate(row.external_rate)}`} />
      </td>
    </tr>
  `;
}

function Empty() {
  return html`
    <section class="card">
      <h2>Nothing is stored yet</h2>
      <p>Store a topology and a snapshot of its measured load, or let a bridge do both:</p>
      <pre>headgate bridge flink --url http://localhost:8081 --job NAME</pre>
      <p>To look around first, load a small topology with a day of measurements:</p>
      <pre>headgate demo</pre>
      <p><a href="/docs">All calls of the API</a></p>
    </section>
  `;
}
