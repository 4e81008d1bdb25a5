// What stands beside a what-if: the rate that the forecast goes up to, another scenario, and why the decision differs.
import { html, useState } from "./view.js";
import { at } from "./api.js";
import { count, counted, duration, rate, rateLimit, sentence, short } from "./format.js";
import { useAnswer } from "./hooks.js";
import { Reasons } from "./verdict.js";

/** The hours of 30 days. */
const HOURS = 720;

/** The standing decision of a topology; null: there is none, or it is withheld. @param {string} name */
export function useDecision(name) {
  const id = useAnswer(at(name, "/decisions?limit=1")).answer?.standing ?? null;
  const decision = useAnswer(id && `/v1/decisions/${id}`).answer;
  return decision && !decision.withheld ? decision : null;
}

/**
 * A mark below the slider: the rate that the decision's forecast is not expected to exceed.
 * @param {{decision: any, onLoad: (load: number) => void}} props
 */
export function ForecastMark({ decision, onLoad }) {
  const ahead = decision?.look_ahead;
  if (!ahead || !decision.external_rate) return null;
  const load = Number((ahead.upper_rate / decision.external_rate).toPrecision(3));
  return html`
    <p class="row">
      <button onClick=${() => onLoad(load)}>Try the forecast's highest rate: ${rate(ahead.upper_rate)}</button>
      <span class="quiet">× ${short(load)} of the rate that the decision measured, ${rate(
        decision.external_rate,
      )}</span>
    </p>
  `;
}

/**
 * Picks a node to be without; nothing where the newest snapshot does not say on which node an instance runs.
 * @param {{name: string, since: string | null, node: string, onNode: (node: string) => void}} props
 */
export function FailingNode({ name, since, node, onNode }) {
  const found = useAnswer(since && at(name, `/snapshots?limit=1&from=${encodeURIComponent(since)}`), undefined, null);
  /** @type {{node?: string | null}[]} */
  const instances = Object.values(found.answer?.items[0]?.instances ?? {}).flat();
  const nodes = [...new Set([node, ...instances.map((one) => one.node ?? "")])].filter(Boolean).sort();
  if (!nodes.length) return null;
  const write = (one) => counted(instances.filter((instance) => instance.node === one).length, "instance");
  return html`
    <label>
      without node${" "}
      <select value=${node} onChange=${(event) => onNode(event.target.value)}>
        <option value="">none: all nodes run</option>
        ${nodes.map((one) => html`<option value=${one} selected=${one === node}>${one}, ${write(one)}</option>`)}
      </select>
    </label>
  `;
}

/**
 * What 30 days cost by the policy's price of a processor-hour, else their processor-hours: a name and a writer of them.
 * @param {any} decision @returns {[string, (estimate: any) => string]}
 */
export function findCost(decision) {
  const price = decision?.policy.prices?.processor_hour ?? null;
  return price === null
    ? ["processor-hours of 30 days", (estimate) => count(estimate && HOURS * estimate.processors_total)]
    : ["cost of 30 days", (estimate) => short(estimate && HOURS * price * estimate.processors_total)];
}

/** Each number of a scenario with its name. @param {any} found @param {any} decision @returns {[string, string][]} */
function listNumbers({ load_factor, external_rate, t_max_seconds, planned, current, gate }, decision) {
  const [costs, write] = findCost(decision);
  return [
    ["load", `× ${short(load_factor)}`],
    ["rate", rate(external_rate)],
    ["target", duration(t_max_seconds)],
    ["processors that run", count(current?.processors_total)],
    ["processors planned", count(planned?.processors_total)],
    [`${costs} of what runs`, write(current)],
    [`${costs} as planned`, write(planned)],
    ["estimated E[T] as planned", duration(planned?.expected_sojourn_seconds)],
    [
      "estimated E[T] of what runs",
      current && !current.stable ? "cannot keep up" : duration(current?.expected_sojourn_seconds),
    ],
    ["what runs passes every check up to", rateLimit(gate?.headroom_rate)],
  ];
}

/** Two scenarios side by side: one that was kept, and the one on the page. @param {{found: any, decision: any}} props */
export function Scenarios({ found, decision }) {
  const [kept, setKept] = useState(/** @type {any} */ (null));
  const now = listNumbers(found, decision);
  const before = kept && listNumbers(kept, decision);
  return html`
    <section class="card">
      <h2>Side by side</h2>
      <p class="row">
        <button onClick=${() => setKept(found)}>Keep these numbers to compare</button>
        ${kept
          ? html`<button onClick=${() => setKept(null)}>Drop them</button>`
          : html`<span class="quiet">Then enter other terms above.</span>`}
      </p>
      ${before && html`
        <table>
          <thead>
            <tr>
              <th scope="col">number</th>
              <th scope="col">kept</th>
              <th scope="col">now</th>
            </tr>
          </thead>
          <tbody>
            ${now.map(([name, value], place) =>
              html`
                <tr>
                  <th scope="row">${name}</th>
                  <td>${before[place][1]}</td>
                  <td>${value}</td>
                </tr>
              `
            )}
          </tbody>
        </table>
      `}
    </section>
  `;
}

/** Why the decision has another number of processors. @param {{decision: any}} props */
export function DecisionSays({ decision }) {
  if (!decision) return null;
  return html`
    <h3>Why the decision says otherwise</h3>
    <p>${sentence(decision.verdict)}</p>
    <${Reasons} of=${decision} />
    <p>${decision.sized_for?.detail}</p>
  `;
}
