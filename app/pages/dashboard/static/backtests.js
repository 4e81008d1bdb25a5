// Backtests: what each policy of VMs would have served and cost on the stored workload; run from here, with progress.
import { html, useState } from "./view.js";
import { call } from "./api.js";
import { BacktestResult } from "./backtest_result.js";
import { clock, count } from "./format.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

const LIST = "/v1/backtests?limit=100";
const REFRESH_MILLISECONDS = 15000;
const BUSY_MILLISECONDS = 1000;
const UNFINISHED = ["queued", "running"];
/** @type {[string, string][]} */
const CHOICES = [
  ["headgate", "Headgate's own"],
  ["mst", "by the mean throughput"],
  ["mst+ua", "with a margin for an uncertain throughput"],
  ["mst+ua;arma", "the same with a forecast by ARMA"],
  ["static-peak", "always enough for the peak"],
];

/** @param {{name: string, session: {may_store: boolean}}} props */
export function Backtests({ name, session }) {
  const [asked, setAsked] = useState(0);
  const [picked, setPicked] = useState(/** @type {string | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const found = useAnswer(`${LIST}#${asked}`, undefined, isBusy ? BUSY_MILLISECONDS : REFRESH_MILLISECONDS);
  const items = found.answer?.items.filter((one) => one.parameters.workload_name === name);
  const busy = items?.some((one) => UNFINISHED.includes(one.state)) ?? isBusy;
  if (busy !== isBusy) setBusy(busy);
  const start = (backtest) => {
    setPicked(backtest.id);
    setAsked(asked + 1);
  };
  return html`
    <section class="card">
      <h2>Backtests: what would each policy have served, and cost?</h2>
      ${session.may_store && html`<${Start} name=${name} onStart=${start} />`}
      <${Trouble} problem=${found.problem} />
      ${!items && html`<${Waiting} of=${found} />`}
      ${items?.length === 0 && html`
        <p class="quiet">None is stored yet of this topology.${" "}
          ${!session.may_store &&
            `POST /v1/backtests with "topology": "${name}" runs one, with a key that may store.`}</p>
      `}
      ${items?.length > 0 && html`
        <${List} items=${items} picked=${picked} pick=${setPicked} may_store=${session.may_store}
          onEnd=${() => setAsked(asked + 1)} />
      `}
      ${picked && items?.some((one) => one.id === picked) && html`<${BacktestResult} key=${picked} id=${picked} />`}
    </section>
  `;
}

/** @param {{name: string, onStart: (backtest: any) => void}} props */
function Start({ name, onStart }) {
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const submit = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const body = { topology: name, policies: form.getAll("policy"), seeds: Number(form.get("seeds")) };
    setProblem(null);
    call("/v1/backtests", { method: "POST", body }).then(onStart, setProblem);
  };
  return html`
    <form onSubmit=${submit}>
      <fieldset>
        <legend>Policies</legend>
        ${CHOICES.map(([policy, text], place) =>
          html`
            <label>
              <input type="checkbox" name="policy" value=${policy} defaultChecked=${place < 3} />${" "}
              ${text} <span class="code">${policy}</span>
            </label>
          `
        )}
      </fieldset>
      <label>
        runs of each${" "}
        <input type="number" name="seeds" min="1" max="50" defaultValue="2" required />
      </label>
      <button>Run a backtest</button>
      <${Trouble} problem=${problem} />
    </form>
  `;
}

/** @param {{items: any[], picked: string | null, pick: (id: string) => void, may_store: boolean, onEnd: () => void}} props */
function List({ items, picked, pick, may_store, onEnd }) {
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const end = (id) => call(`/v1/backtests/${id}`, { method: "DELETE" }).then(onEnd, setProblem);
  return html`
    <${Trouble} problem=${problem} />
    <div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="wide">
        <thead>
          <tr>
            <th scope="col">started (UTC)</th>
            <th scope="col">state</th>
            <th scope="col">intervals</th>
            <th scope="col">progress</th>
            ${may_store && html`<th scope="col">end</th>`}
          </tr>
        </thead>
        <tbody>
          ${items.map((one) =>
            html`
              <tr key=${one.id} class=${one.id === picked ? "picked" : ""}>
                <th scope="row">
                  <button class="plain" aria-pressed=${one.id === picked} onClick=${() => pick(one.id)}>
                    ${clock(one.created_at)}
                  </button>
                </th>
                <td>${one.state}</td>
                <td>${count(one.parameters.steps)}</td>
                <td>
                  <${Progress} of=${one} />
                </td>
                ${may_store && html`
                  <td>
                    <button onClick=${() => end(one.id)}>${UNFINISHED.includes(one.state)
                      ? "Cancel"
                      : "Delete"}</button>
                  </td>
                `}
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** @param {{of: any}} props */
function Progress({ of }) {
  return html`
    ${UNFINISHED.includes(of.state) && html`<progress max="1" value=${of.progress} aria-label="progress"></progress>`}
    <span class="detail" aria-live="polite">${of.activity}</span>
    ${of.error && html`<span class="detail">${of.error.detail}</span>`}
  `;
}
