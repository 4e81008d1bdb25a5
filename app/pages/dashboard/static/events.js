// The changes that were decided, as marks above the charts: each says its reasons to the pointer and to the keyboard.
import { html, useState } from "./view.js";
import { ACTIONS, change, clock, counted, sentence } from "./format.js";
import { useWidth } from "./hooks.js";
import { LEFT, RIGHT } from "./scales.js";

/** @type {Record<string, string>} */
const SIGNS = { scale_up: "▲", scale_down: "▼", rebalance: "◆" };
const LEAST_APART = 26;

/**
 * @param {{decisions: any[], domain: [number, number], cursor: import("./cursor.js").Cursor}} props
 * decisions: the newest first
 */
export function Events({ decisions, domain, cursor }) {
  const [strip, width] = useWidth();
  const [shown, setShown] = useState(/** @type {any[] | null} */ (null));
  const perX = (width - LEFT - RIGHT) / (domain[1] - domain[0] || 1);
  const groups = gatherNear(decisions, (time) => LEFT + (time - domain[0]) * perX);
  const show = (group) => {
    setShown(group.of);
    cursor.set({ x: Date.parse(group.of[0].decided_for) });
  };
  const hide = () => {
    setShown(null);
    cursor.set({ x: null });
  };
  if (!decisions.length) return html`<p class="quiet" ref=${strip}>No change was decided in this time.</p>`;
  return html`
    <div class="events" ref=${strip}>
      <div class="strip" role="group" aria-label="Changes that were decided">
        ${groups.map((group) =>
          html`
            <button key=${group.of[0].id} class="event ${group.of[0].action}" style=${{ left: `${group.x}px` }}
              aria-label=${describe(group.of)} onFocus=${() => show(group)} onBlur=${hide}
              onPointerEnter=${() => show(group)} onPointerLeave=${hide}>
              ${SIGNS[group.of[0].action]}${group.of.length > 1 ? group.of.length : ""}
            </button>
          `
        )}
      </div>
      <p class="readout">${shown ? shown.slice(0, 3).map((one) => html`<span>${tell(one)}</span>`) : " "}
        ${shown && shown.length > 3 && html`<span>And ${counted(shown.length - 3, "change")} more.</span>`}</p>
    </div>
  `;
}

/** Decisions that would hide each other as one mark. @param {any[]} decisions @param {(time: number) => number} place */
function gatherNear(decisions, place) {
  /** @type {{x: number, of: any[]}[]} */
  const groups = [];
  for (const one of decisions) {
    const x = Math.round(place(Date.parse(one.decided_for)));
    const last = groups[groups.length - 1];
    if (last && last.x - x < LEAST_APART) last.of.push(one);
    else groups.push({ x, of: [one] });
  }
  return groups;
}

const tell = ({ decided_for, action, processors, reasons }) =>
  `${clock(decided_for)}: ${ACTIONS[action]}, ${
    change(processors.current_total, processors.recommended_total)
  } processors. ${sentence(reasons[0]?.detail ?? "")} `;

/** @param {any[]} group */
const describe = (group) =>
  `${group.length > 1 ? `${counted(group.length, "change")}. The last one: ` : ""}${tell(group[0])}`;
