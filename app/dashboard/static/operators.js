// The operators as a graph and as a table, the busiest named.
import { html, useState } from "./view.js";
import { change, count, duration, percent, rate } from "./format.js";
import { TopologyGraph } from "./graph.js";

const MOST_ROWS = 200;

const COLUMNS = [
  "operator",
  "busy",
  "arrivals",
  "one processor serves",
  "wait",
  "wait + service",
  "queueing",
  "processors",
];

export function Operators({ topology, decision, picked, onPick }) {
  const [isAll, setAll] = useState(false);
  const estimates = new Map((decision?.current.operators ?? []).map((one) => [one.name, one]));
  const rows = topology.operators.map((one) => ({
    name: one.name,
    queueing: one.queueing ?? topology.queueing ?? "not said",
    utilisation: estimates.get(one.name)?.hottest_utilisation ?? estimates.get(one.name)?.utilisation ?? null,
    arrival_rate: estimates.get(one.name)?.arrival_rate ?? null,
    service_rate: estimates.get(one.name)?.service_rate ?? null,
    wait: estimates.get(one.name)?.wait_seconds ?? null,
    sojourn: estimates.get(one.name)?.sojourn_seconds ?? null,
    running: decision?.processors.current[one.name] ?? null,
    recommended: decision?.processors.recommended[one.name] ?? null,
  }));
  const busiest = rows.reduce((most, one) => ((one.utilisation ?? -1) > (most?.utilisation ?? -1) ? one : most), null);
  const edges = topology.edges.map((one) => {
    const source = estimates.get(one.source);
    return { source: one.source, target: one.target, flow: source ? source.arrival_rate * one.selectivity : null };
  });
  const middle = picked ?? busiest?.name ?? rows[0]?.name ?? null;
  const listed = isAll ? rows : rows.slice(0, MOST_ROWS);
  const hidden = rows.length - listed.length;
  const isBusyKnown = (busiest?.utilisation ?? null) !== null;
  return html`
    <section class="card">
      <h2>Operators</h2>
      ${isBusyKnown &&
        html`<p>The busiest is <strong>${busiest.name}</strong>: ${percent(busiest.utilisation)} busy.</p>`}
      <${TopologyGraph} nodes=${rows} edges=${edges} middle=${middle} onPick=${onPick} />
      <div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled">
        <table class="wide">
          <thead>
            <tr>${COLUMNS.map((one) => html`<th scope="col">${one}</th>`)}</tr>
          </thead>
          <tbody>
            ${listed.map((one) =>
              html`
                <tr class=${one.name === picked ? "picked" : ""} key=${one.name}>
                  <th scope="row">${one.name}</th>
                  <td>${percent(one.utilisation)}</td>
                  <td>${rate(one.arrival_rate)}</td>
                  <td>${rate(one.service_rate)}</td>
                  <td>${duration(one.wait)}</td>
                  <td>${duration(one.sojourn)}</td>
                  <td>${one.queueing}</td>
                  <td>${change(one.running, one.recommended)}</td>
                </tr>
              `
            )}
          </tbody>
        </table>
      </div>
      ${hidden > 0 && html`<button onClick=${() => setAll(true)}>Show all ${count(rows.length)}</button>`}
    </section>
  `;
}
