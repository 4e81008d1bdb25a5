// A part that is folded away. It is made when it is opened: rows that nobody sees cost as much as those that are seen.
import { html, useState } from "./view.js";

/** @param {{summary: string, draw: () => import("../types/preact.d.ts").View}} props */
export function Folded({ summary, draw }) {
  const [isOpen, setOpen] = useState(false);
  return html`
    <details onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary>${summary}</summary>
      ${isOpen && draw()}
    </details>
  `;
}
