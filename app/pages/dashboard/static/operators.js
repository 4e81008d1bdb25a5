// The operators as a graph and as a table: where tuples wait longest, and what is behind the one that is picked.
import { html, useLayoutEffect, useState } from "./view.js";
import { counted, duration, percent, rate } from "./format.js";
import { TopologyGraph } from "./graph.js";
import { Instances } from "./instances.js";
import { OperatorTable } from "./operator_table.js";
import { Term } from "./terms.js";

/** @typedef {import("./operator_table.js").Row} Row */

/**
 * @param {{name: string, topology: any, estimate: any, asked: string | null, basis: any,
 *   processors: {current: Record<string, number>, recommended: Record<string, number>} | null}} props
 */
export function Operators({ name, topology, estimate, asked, basis, processors }) {
  const [picked, setPicked] = useState(/** @type {string | null} */ (null));
  // An operator is asked for by its name, or by a part of it.
  const like = asked?.toLowerCase() ?? null;
  const meant = topology.operators.find((one) => one.name === asked) ??
    (like === null ? undefined : topology.operators.find((one) => one.name.toLowerCase().includes(like)));
  useLayoutEffect(() => setPicked(meant?.name ?? null), [asked]);
  const estimates = new Map((estimate?.operators ?? []).map((one) => [one.name, one]));
  const rows = topology.operators.map((one) => makeRow(topology, one, estimates.get(one.name), processors));
  const bottleneck = findBottleneck(rows);
  const edges = topology.edges.map((one) => {
    const source = estimates.get(one.source);
    return { source: one.source, target: one.target, flow: source ? source.arrival_rate * one.selectivity : null };
  });
  return html`
    <section class="card">
      <h2>Operators</h2>
      ${bottleneck && html`<${Bottleneck} row=${bottleneck} rows=${rows} estimate=${estimate} />`}
      <${TopologyGraph} nodes=${rows} edges=${edges} middle=${picked ?? bottleneck?.name ?? rows[0]?.name ?? null}
        bottleneck=${bottleneck?.name ?? null} onPick=${setPicked} />
      ${picked !== null && estimates.has(picked) && html`
        <${Instances} key=${picked} name=${name} operator=${estimates.get(picked)} basis=${basis} />
      `}
      <${OperatorTable} rows=${rows} picked=${picked} onPick=${setPicked} />
    </section>
  `;
}

/** Where an external tuple waits longest, all its visits counted; null: nothing is measured. @param {Row[]} rows */
function findBottleneck(rows) {
  const known = rows.filter((one) => one.utilisation !== null);
  const longest = (
    /** @type {Row} */ one,
  ) => (one.waits === Infinity ? 1e300 * (1 + (one.utilisation ?? 0)) : one.waits ?? 0);
  return known.reduce(
    (/** @type {Row | null} */ most, one) => most === null || longest(one) > longest(most) ? one : most,
    null,
  );
}

/** @param {{row: Row, rows: Row[], estimate: any}} props */
function Bottleneck({ row, rows, estimate }) {
  const busiest = rows.reduce((most, one) => ((one.utilisation ?? -1) > (most.utilisation ?? -1) ? one : most), row);
  const total = duration(estimate.expected_sojourn_seconds);
  const now = `${counted(estimate.processors_total, "processor")} at ${rate(estimate.external_rate)}`;
  const said = row.waits === Infinity
    ? html`<strong>${row.name}</strong> cannot keep up: its queue grows without end.`
    : html`
      Tuples wait longest at <strong>${row.name}</strong>: ${duration(
        row.waits,
      )} of the estimated <${Term} of="E[T]" />${" "}
      of ${total}. It is ${percent(row.utilisation)} <${Term} of="busy" />.
    `;
  return html`
    <p>
      ${said}${" "}
      ${percent(busiest.utilisation) !== percent(row.utilisation) &&
        html`The busiest is <strong>${busiest.name}</strong>: ${percent(busiest.utilisation)} busy.${" "}`}
      <span class="quiet">Estimates for the ${now}. E[T] counts an operator as often as an external tuple visits it.</span>
    </p>
  `;
}

/** @returns {Row} */
function makeRow(topology, operator, estimated, processors) {
  const wait = estimated ? estimated.wait_seconds ?? Infinity : null;
  const sojourn = estimated ? estimated.sojourn_seconds ?? Infinity : null;
  const times = (
    seconds,
  ) => (seconds === null || !estimated ? null : seconds === Infinity ? seconds : seconds * estimated.visits);
  return {
    name: operator.name,
    queueing: operator.queueing ?? topology.queueing ?? "not said",
    utilisation: estimated?.hottest_utilisation ?? estimated?.utilisation ?? null,
    arrival_rate: estimated?.arrival_rate ?? null,
    service_rate: estimated?.service_rate ?? null,
    wait,
    waits: times(wait),
    sojourn,
    part: times(sojourn),
    running: processors?.current[operator.name] ?? estimated?.processors ?? null,
    recommended: processors?.recommended[operator.name] ?? null,
  };
}
