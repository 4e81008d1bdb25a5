// The pages of one topology.
import { html } from "./view.js";

/** @type {[key: string, text: string, path: string][]} */
export const TABS = [
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
  `;
}
