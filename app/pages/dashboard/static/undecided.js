// What is missing before anything can be decided, and the next step.
import { html, useState } from "./view.js";
import { at, call } from "./api.js";
import { LIMIT_OF_TIME, readTime, TIME_WANTED } from "./fields.js";
import { sentence } from "./format.js";
import { Trouble } from "./hooks.js";

const UNMEASURED = ["no-measurements", "stale", "ahead-of-clock"];

/** @param {{row: {name: string, status: string, detail: string}, topology: any, session: {may_store: boolean}}} props */
export function Undecided({ row: { name, status, detail }, topology, session }) {
  const isUnmeasured = UNMEASURED.includes(status);
  return html`
    <section class="card">
      <h2>Nothing is decided yet</h2>
      <p>${sentence(detail)}</p>
      ${isUnmeasured && html`<${Measure} name=${name} topology=${topology} />`}
      ${session.may_store && status === "no-policy" && html`<${WantTarget} name=${name} />`}
      ${session.may_store && status !== "no-policy" && !isUnmeasured && html`<${DecideNow} name=${name} />`}
    </section>
  `;
}

/** A snapshot to fill in. @param {{name: string, topology: {operators: {name: string}[]}}} props */
function Measure({ name, topology }) {
  const first = topology.operators.slice(0, 3).map((one) => [one.name, { service_rate: 50, processors: 2 }]);
  const snapshot = {
    observed_at: new Date(Date.now() - 60000).toISOString(),
    window_seconds: 60,
    external_rate: 100,
    operators: Object.fromEntries(first),
  };
  const more = topology.operators.length > first.length ? `, and the same for the other operators` : "";
  return html`
    <p>POST what was measured to <code>${at(name, "/snapshots")}</code>, with your own numbers${more}:</p>
    <pre>${JSON.stringify(snapshot, null, 2)}</pre>
  `;
}

/** Stores a policy with a target and decides by it. @param {{name: string}} props */
function WantTarget({ name }) {
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const submit = async (event) => {
    event.preventDefault();
    const seconds = readTime(String(new FormData(event.target).get("target")));
    if (seconds === null) return setProblem(new Error(TIME_WANTED));
    try {
      await call(at(name, "/policy"), { method: "PUT", body: { goal: { t_max_seconds: seconds } } });
      await call(at(name, "/decisions"), { method: "POST" });
      location.reload();
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return html`
    <form onSubmit=${submit}>
      <label>
        ${LIMIT_OF_TIME}${" "}
        <input type="text" inputmode="decimal" name="target" placeholder="350 ms or 0.35 s" required />
      </label>
      <button>Store this target and decide</button>
    </form>
    <${Trouble} problem=${problem} />
  `;
}

/** @param {{name: string}} props */
function DecideNow({ name }) {
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const decide = () => call(at(name, "/decisions"), { method: "POST" }).then(() => location.reload(), setProblem);
  return html`
    <p><button onClick=${decide}>Decide now</button></p>
    <${Trouble} problem=${problem} />
  `;
}
