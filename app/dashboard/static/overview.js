// Which topology needs me?
import { html, useState } from "./vendor/preact.js";
import { ago, change, duration, rate } from "./format.js";
import { Sparkline } from "./chart.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

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

export function OverviewPage() {
  const [path, setPath] = useState("/v1/overview?limit=100");
  const found = useAnswer(path);
  const page = found.answer;
  return html`<div class="page"><h1>Which topology needs me?</h1>
    <${Trouble} problem=${found.problem} /><${Waiting} of=${found} />
    ${page && !page.items.length && html`<${Empty} />`}
    ${page &&
    page.items.length > 0 &&
    html`<p class="counts">${Object.entries(page.counts).map(([status, many]) => html`<span class="status ${status}">${SIGNS[status]}: ${many}</span> `)}</p>
      <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled"><table class="wide">
        <thead><tr><th scope="col">topology</th><th scope="col">status</th><th scope="col">E[T]</th><th scope="col">target</th>
          <th scope="col">processors</th><th scope="col">rate</th><th scope="col">holds up to</th><th scope="col">measured</th>
          <th scope="col">rate over time</th></tr></thead>
        <tbody>${page.items.map((row) => html`<${Line} row=${row} key=${row.name} />`)}</tbody>
      </table></div>
      <p>${path.includes("cursor") && html`<button onClick=${() => setPath("/v1/overview?limit=100")}>First page</button>`}
      ${page.next && html`<button onClick=${() => setPath(new URL(page.next, location.href).pathname + new URL(page.next, location.href).search)}>More</button>`}</p>`}</div>`;
}

function Line({ row }) {
  const seconds = row.measured_sojourn_seconds ?? row.expected_sojourn_seconds;
  return html`<tr>
    <th scope="row"><a href=${`#/topologies/${encodeURIComponent(row.name)}`}>${row.name}</a></th>
    <td><span class="status ${row.status}">${SIGNS[row.status]}</span><span class="detail">${row.detail}</span></td>
    <td title=${row.measured_sojourn_seconds === null ? "estimated" : "measured"}>${duration(seconds)}</td>
    <td>${duration(row.target_seconds)}</td>
    <td>${change(row.processors_running, row.processors_recommended)}</td>
    <td>${rate(row.external_rate)}</td>
    <td>${rate(row.holds_up_to_rate)}</td>
    <td>${ago(row.measured_until)}</td>
    <td><${Sparkline} values=${row.rates} label=${`Newest rate ${rate(row.external_rate)}`} /></td>
  </tr>`;
}

function Empty() {
  return html`<section class="card"><h2>Nothing is stored yet</h2>
    <p>Store a topology and a snapshot of its measured load, or let a bridge do both:</p>
    <pre>headgate bridge flink --url http://localhost:8081 --job NAME</pre>
    <p>To look around first, load a small topology with a day of measurements:</p>
    <pre>headgate demo</pre>
    <p><a href="/docs">All calls of the API</a></p></section>`;
}
