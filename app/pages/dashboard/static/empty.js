// What stands where nothing is: a drawing, and what is missing.
import { html } from "./view.js";

/** Three operators without a stream. */
export function EmptyDrawing() {
  return html`
    <svg viewBox="0 0 208 84" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2">
      <path d="M58 42C76 42 72 20 90 20M58 42C76 42 72 64 90 64M142 20h10" stroke-dasharray="2 5" />
      <rect x="8" y="28" width="50" height="28" rx="6" stroke-dasharray="6 4" />
      <rect x="90" y="6" width="50" height="28" rx="6" stroke-dasharray="6 4" />
      <rect x="90" y="50" width="50" height="28" rx="6" stroke-dasharray="6 4" />
      <path d="M160 64l8-14 8 20 8-26 8 12 8-8" />
    </svg>
  `;
}

/** @param {{says: string}} props */
export function Nothing({ says }) {
  return html`
    <div class="empty">
      <${EmptyDrawing} />
      <p class="quiet">${says}</p>
    </div>
  `;
}
