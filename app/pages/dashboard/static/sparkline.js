// A small line without axes, for a row of a table.
import { html } from "./view.js";
import { UNKNOWN } from "./format.js";

const DAY_WIDTH = 120;
const DAY_HEIGHT = 30;
/** The upper edge, in targets: all rows have this one scale, so that their heights can be compared. */
const MOST_TARGETS = 2;

/**
 * E[T] over a day with its target in the middle; what is above twice the target stands at the upper edge.
 * @param {{values: (number | null)[], target: number | null, label: string}} props
 */
export function TargetLine({ values, target, label }) {
  const known = values.filter((one) => one !== null);
  if (!known.length) return html`<span class="quiet">${UNKNOWN}</span>`;
  const top = target === null ? Math.max(...known) || 1 : MOST_TARGETS * target;
  const x = (place) => (2 + place * (DAY_WIDTH - 4) / Math.max(1, values.length - 1)).toFixed(1);
  const y = (value) => (DAY_HEIGHT - 2 - Math.min(1, value / top) * (DAY_HEIGHT - 4)).toFixed(1);
  const path = values.map((one, place) => {
    if (one === null) return "";
    const isAlone = (values[place - 1] ?? null) === null && (values[place + 1] ?? null) === null;
    return `${(values[place - 1] ?? null) === null ? "M" : "L"}${x(place)} ${y(one)}${isAlone ? "h0.1" : ""}`;
  });
  const missed = values.map((one, place) =>
    one !== null && target !== null && one > target ? `M${x(place)} ${y(one)}h0.1` : ""
  );
  return html`
    <svg class="day" viewBox="0 0 ${DAY_WIDTH} ${DAY_HEIGHT}" role="img" aria-label=${label}>
      ${target !== null && html`<line x1="2" x2=${DAY_WIDTH - 2} y1=${y(target)} y2=${y(target)} />`}
      <path d=${path.join("")} />
      <path class="missed" d=${missed.join("")} />
    </svg>
  `;
}
