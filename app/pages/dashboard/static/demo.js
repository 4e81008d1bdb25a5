// The demo: a button that loads it, and a note on its page with a button that deletes it.
import { at, call } from "./api.js";
import { Trouble } from "./hooks.js";
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
      const { topology } = await call("/v1/demo", { method: "POST" });
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
