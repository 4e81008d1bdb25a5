// The demo: a button that loads it, and a note on its page with a button that deletes it.
import { at, call } from "./api.js";
import { clock } from "./format.js";
import { Trouble, useAnswer } from "./hooks.js";
import { html, useState } from "./view.js";

/** Loads the demo and leads to its page. */
export function LoadDemo() {
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const load = async () => {
    if (isLoading) return;
    setLoading(true);
    setProblem(null);
    try {
      const { minutes } = await call("/v1/demo/live");
      const { topology } = await call(minutes ? "/v1/demo/live" : "/v1/demo", { method: "POST" });
      location.hash = `#/topologies/${encodeURIComponent(topology)}`;
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)));
    }
    setLoading(false);
  };
  return html`
    <div>
      <${Trouble} problem=${problem} />
      <p>
        <button aria-disabled=${isLoading} onClick=${load}>Load the demo</button>${" "}
        <span aria-live="polite">
          ${isLoading ? "Makes up a day of measurements and decides through it: some seconds." : ""}
        </span>
      </p>
    </div>
  `;
}

/** Says that a topology is the demo. @param {{name: string, may_store: boolean}} props */
export function DemoNote({ name, may_store }) {
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const remove = () => call(at(name), { method: "DELETE" }).then(() => (location.hash = "#/"), setProblem);
  return html`
    <div>
      <${Trouble} problem=${problem} />
      <p class="demo">
        The numbers of this demo are generated; no real platform was measured.${" "}
        ${may_store && html`<button onClick=${remove}>Delete the demo</button>`}
      </p>
    </div>
  `;
}

const MOST_LOAD = 3;

/** How the live demo runs, and a slider that loads it. @param {{name: string, may_store: boolean}} props */
export function LiveNote({ name, may_store }) {
  const { answer, problem } = useAnswer("/v1/demo/live", undefined, 5000);
  const [asked, setAsked] = useState(/** @type {number | null} */ (null));
  const [refused, setRefused] = useState(/** @type {Error | null} */ (null));
  const store = (/** @type {number} */ load_factor) =>
    call("/v1/demo/live", { method: "PUT", body: { load_factor } }).then(() => setRefused(null), setRefused);
  if (answer?.topology !== name) return null;
  const factor = asked ?? answer.load_factor;
  return html`
    <section class="card live-demo">
      <${Trouble} problem=${refused ?? problem} />
      <p>
        ${answer.is_running
          ? `This platform runs inside the service until ${
            clock(answer.runs_until)
          }. A day of it takes 24 minutes: every 5 s ` +
            "it stores what it measured, asks for a decision, and applies it."
          : answer.minutes
          ? "This platform has stopped. A new load starts it again."
          : "This platform has stopped, and the service was started without HEADGATE_DEMO_MINUTES."}
      </p>
      ${may_store && answer.minutes > 0 && html`
        <p class="row">
          <label>Load <input type="range" min="0.2" max=${MOST_LOAD} step="0.1" value=${factor}
            onInput=${(/** @type {any} */ event) => setAsked(Number(event.target.value))}
            onChange=${(/** @type {any} */ event) => store(Number(event.target.value))} /></label>
          <output>${factor.toFixed(1)} times that of its day</output>
          <button onClick=${() => (setAsked(2), store(2))}>Double the load</button>
          <button onClick=${() => (setAsked(1), store(1))}>Back to its day</button>
        </p>
      `}
    </section>
  `;
}
