// How many VMs the coming intervals need, from the measured rates and the measured throughput of VMs.
import { html } from "./view.js";
import { at } from "./api.js";
import { clock, count, rate, short } from "./format.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";
import { Kept } from "./kept.js";
import { Diagnostics } from "./verdict.js";

const INTERVALS = { horizon: 6 };
const EXAMPLE = [{ vms: 2, throughput: 50 }, { vms: 4, throughput: 98 }, { vms: 8, throughput: 190 }];

/** @param {{name: string}} props */
export function VmSchedule({ name }) {
  const samples = useAnswer(at(name, "/mst-samples?limit=1"), undefined, null);
  const isMeasured = samples.answer !== null && samples.answer.items.length > 0;
  return html`
    <section class="card">
      <h2>VMs for the coming intervals (UTC)</h2>
      <${Trouble} problem=${samples.problem} />
      <${Waiting} of=${samples} />
      ${samples.answer && !isMeasured && html`<${Unmeasured} name=${name} />`}
      ${isMeasured && html`<${Schedule} name=${name} />`}
    </section>
  `;
}

/** @param {{name: string}} props */
function Unmeasured({ name }) {
  const now = new Date().toISOString();
  const body = EXAMPLE.map((one) => ({ observed_at: now, ...one }));
  return html`
    <div>
      <p>
        A schedule needs to know what VMs sustain, and no throughput of this topology is stored. Measure the most that some${" "}
        numbers of VMs serve, in external tuples per second, and POST it to${" "}
        <code>${at(name, "/mst-samples")}</code>, with your own numbers:
      </p>
      <pre tabindex="0" role="group" aria-label="Throughputs to send">${JSON.stringify(body, null, 2)}</pre>
    </div>
  `;
}

/** @param {{name: string}} props */
function Schedule({ name }) {
  const found = useAnswer(at(name, "/forecasts/vms"), INTERVALS, null);
  const answer = found.answer;
  return html`
    <div>
      <${Trouble} problem=${found.problem} />
      <${Waiting} of=${found} />
      ${answer && html`
        <p>
          The target: all is served in ${short(100 * answer.qos_target, 4)}% of the time. The policy:${" "}
          <span class="code">${answer.policy}</span>. It knows ${count(
            answer.mst_model.samples,
          )} measured throughputs,${" "}
          with ${count(answer.mst_model.fewest_vms)} to ${count(answer.mst_model.most_vms)} VMs.
        </p>
        <p class="quiet">
          The rates here are of a forecast of their own, which learns also from the same hours of earlier days, where these${" "}
          are stored. It is not the one above, so their numbers differ. What VMs serve follows from measured throughputs, not${" "}
          from the forecast.
        </p>
        <${Intervals} intervals=${answer.intervals} />
        <p class="quiet">
          Spare: VMs beyond those for the expected rate, because throughputs scatter, or because the rate may be higher. VMs${" "}
          serve: at least so much, with a probability of ${short(
            100 * answer.qos_target,
            4,
          )}%. All is served: in this${" "}
          share of the time, as expected.
        </p>
        <p>${answer.kept ? "✓" : "▲"} ${answer.verdict}</p>
        <${Kept} of=${answer} />
        <${Diagnostics} of=${answer.diagnostics} />
      `}
    </div>
  `;
}

/** @param {{intervals: any[]}} props */
function Intervals({ intervals }) {
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="vms">
        <thead>
          <tr>
            <th scope="col">from</th>
            <th scope="col">to</th>
            <th scope="col">VMs</th>
            <th
              scope="col">for the expected rate + spare for throughputs + spare for rates</th>
            <th scope="col">expected rate</th>
            <th scope="col">VMs serve</th>
            <th scope="col">all is served</th>
          </tr>
        </thead>
        <tbody>
          ${intervals.map((one) =>
            html`
              <tr key=${one.from}>
                <th scope="row">${clock(one.from)}</th>
                <td>${clock(one.to)}</td>
                <td>${count(one.vms)}</td>
                <td>${count(one.vms_for_mean)} + ${count(one.vms_for_model)} + ${count(one.vms_for_forecast)}</td>
                <td>${rate(one.expected_rate)}</td>
                <td>${rate(one.covered_rate)}</td>
                <td>${short(Math.floor(1e4 * one.probability) / 100, 4)}%</td>
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
  `;
}
