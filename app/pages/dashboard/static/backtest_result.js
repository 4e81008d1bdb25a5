// One backtest: what each policy served and cost, and the picture of one run.
import { html, useState } from "./view.js";
import { count, short, UNKNOWN } from "./format.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";
import { Kept } from "./kept.js";
import { Diagnostics } from "./verdict.js";

const REFRESH_MILLISECONDS = 1000;

/** @param {{id: string}} props */
export function BacktestResult({ id }) {
  const [isOver, setOver] = useState(false);
  const found = useAnswer(`/v1/backtests/${id}`, undefined, isOver ? null : REFRESH_MILLISECONDS);
  const answer = found.answer;
  const over = answer !== null && !["queued", "running"].includes(answer.state);
  if (over !== isOver) setOver(over);
  return html`
    <div>
      <${Trouble} problem=${found.problem} />
      <${Waiting} of=${found} />
      ${answer?.summary.length > 0 && html`<${Summary} answer=${answer} />`}
      ${answer?.rows.length > 0 && html`<${Picture} answer=${answer} />`}
      ${answer && html`<${Diagnostics} of=${answer.diagnostics} />`}
    </div>
  `;
}

function Summary({ answer }) {
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="summary">
        <caption>Means of the runs so far (± standard deviation)</caption>
        <thead>
          <tr>
            <th scope="col">policy</th>
            <th scope="col">runs</th>
            <th scope="col">served</th>
            <th scope="col">target</th>
            <th scope="col">cost to truth</th>
            <th scope="col">cost to the peak</th>
            <th scope="col">largest backlog (tuples)</th>
          </tr>
        </thead>
        <tbody>
          ${answer.summary.map((one) =>
            html`
              <tr key=${one.policy}>
                <th scope="row">${namePolicy(one.policy)}</th>
                <td>${count(one.seeds)}</td>
                <td>${spread(one.qos_percent, one.qos_percent_deviation)}%</td>
                <td>${describeTarget(one)}</td>
                <td>${spread(one.cost_to_truth, one.cost_to_truth_deviation)}</td>
                <td>${spread(one.cost_to_static, one.cost_to_static_deviation)}</td>
                <td>${short(one.max_backlog)}</td>
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
    <p class="quiet">
      Served: the part of all intervals in which the VMs sustained the workload. Cost: VMs over time, divided by those of a${" "}
      schedule that knows what comes, and by those that the peak needs all day. Target: the part that a policy was asked to${" "}
      serve; the policies named mst have the target of the paper that they come from, unless another was asked for.${" "}
      Largest backlog: what waited at most.
    </p>
    ${answer.rows.some(isTooShort) && html`<${Short} rows=${answer.rows} />`}
  `;
}

/** Whether a run has a target, and is too short to judge whether it keeps it. @param {any} run */
const isTooShort = (run) => run.kept !== null && !run.judgeable;

/** @param {{rows: any[]}} props */
function Short({ rows }) {
  const named = [...new Set(rows.filter(isTooShort).map((one) => namePolicy(one.policy)))];
  return html`
    <p>
      Too short to judge: ${named.join(
        ", ",
      )}. These runs are shorter than a week, or their target allows fewer than 10${" "}
      missed steps, so chance decides whether they keep it.
    </p>
  `;
}

/** The paper's number of a policy by its name: answers have the number. @type {Record<string, string>} */
const NAMES = { 0: "mst", 1: "mst+ua", 2: "mst+ol", 3: "mst+ua+ol" };

/** A policy of the paper with its name: `5` is `mst+ua;arma`. @param {string} policy */
function namePolicy(policy) {
  const number = Number(policy);
  if (!Number.isInteger(number)) return policy;
  return number < 4 ? NAMES[number] : `${NAMES[number - 4]};arma`;
}

/** @param {number} mean @param {number | null} deviation */
const spread = (mean, deviation) => `${short(mean)}${deviation === null ? "" : ` ± ${short(deviation)}`}`;

/** @param {{qos_target_percent: number | null, meets_target: boolean | null}} policy */
function describeTarget({ qos_target_percent, meets_target }) {
  if (qos_target_percent === null) return UNKNOWN;
  return `${meets_target ? "✓" : "▲"} ${short(qos_target_percent, 4)}%`;
}

function Picture({ answer }) {
  const runs = answer.rows.map((one) => `${one.policy} ${one.seed}`);
  const [chosen, setChosen] = useState(runs[0]);
  const run = answer.rows[Math.max(0, runs.indexOf(chosen))];
  const { policy, seed } = run;
  const address = `/v1/backtests/${answer.id}/plot?${new URLSearchParams({ policy, seed: String(seed) })}`;
  return html`
    <label>
      run${" "}
      <select value=${chosen} onChange=${(event) => setChosen(event.target.value)}>
        ${answer.rows.map((one, place) =>
          html`<option value=${runs[place]} selected=${runs[place] === chosen}>${
            namePolicy(one.policy)
          }, seed ${one.seed}</option>`
        )}
      </select>
    </label>
    <${Kept} of=${run} isRun=${true} />
    <img class="picture" src=${address}
      alt="Workload, capacity, VMs and backlog over time under the policy ${namePolicy(policy)}, seed ${seed}" />
  `;
}
