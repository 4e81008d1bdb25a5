// The pages of one topology.
import { html } from "./view.js";

/** @type {[key: string, text: string, path: string][]} */
const TABS = [
  ["topology", "Topology", ""],
  ["what-if", "What if", "/what-if"],
  ["decisions", "Decisions", "/decisions"],
  ["forecast", "Forecast", "/forecast"],
];

/** @param {{name: string, on: string}} props */
export function Tabs({ name, on }) {
  const root = `#/topologies/${encodeURIComponent(name)}`;
  return html`
    <nav class="tabs" aria-label="Pages of this topology">
      ${TABS.map(([key, text, path]) =>
        html`<a href=${root + path} aria-current=${key === on ? "page" : undefined}>${text}</a>`
      )}
    </nav>
    <${Words} />
  `;
}

/** The two words of the model that every page uses. */
export function Words() {
  return html`
    <p class="quiet">
      E[T] is the mean total time that operators spend on one external tuple and on all tuples that derive from it, waits
      included. It is measured by your snapshots, or estimated by the model; an expected E[T] is an estimate corrected by
      how long tuples were measured to wait; where no waits were measured, it is the estimate itself. A processor serves
      one tuple at a time: a thread, an executor, a subtask.
    </p>
  `;
}
