// Times without changes: those of every week, and a pause from now on.
import { html, useState } from "./view.js";
import { clock, duration } from "./format.js";

/** @typedef {{cron: string, zone: string, hours: number, until?: string | null}} Recurring as the API has it */

/** @type {[string, string][]} */
const DAYS = [["*", "every day"], ["1-5", "Monday to Friday"], ["0,6", "Saturday and Sunday"]];
const PAUSES = [1, 4, 24];

/** @param {{of: Recurring[], onChange?: (of: Recurring[]) => void}} props without onChange they are only shown */
export function Excluded({ of, onChange }) {
  const [days, setDays] = useState("*");
  const [start, setStart] = useState("22:00");
  const [hours, setHours] = useState("8");
  const add = (one) => onChange?.([...of, one]);
  const addWeekly = () => {
    const [hour, minute] = start.split(":").map(Number);
    if (Number(hours) > 0) add({ cron: `${minute} ${hour} * * ${days}`, zone: "UTC", hours: Number(hours) });
  };
  if (!onChange && !of.length) return null;
  return html`
    <fieldset>
      <legend>Times without changes (UTC where no zone is named)</legend>
      ${!of.length && html`<p class="quiet">There are none.</p>`}
      <ul>
        ${of.map((one, place) =>
          html`
            <li key=${`${place} ${one.cron}`}>
              ${describe(one)}${" "}
              ${onChange &&
                html`<button onClick=${() => onChange(of.filter((_, other) => other !== place))}>Remove</button>`}
            </li>
          `
        )}
      </ul>
      ${onChange && html`
        <p class="row">
          <label>on <select aria-label="Days" value=${days} onChange=${(event) => setDays(event.target.value)}>
            ${DAYS.map(([key, words]) => html`<option value=${key}>${words}</option>`)}
          </select></label>
          <label>from <input type="time" aria-label="From" value=${start} onInput=${(event) =>
            setStart(event.target.value)} /></label>
          <label>for <input type="number" aria-label="Hours" min="0.5" max="168" step="0.5" value=${hours}
            onInput=${(event) => setHours(event.target.value)} /> hours</label>
          <button onClick=${addWeekly}>Add</button>
        </p>
        <p class="row">
          ${PAUSES.map((one) =>
            html`<button onClick=${() => add(pauseNow(one))}>Mute for ${duration(3600 * one)}</button>`
          )}
        </p>
      `}
    </fieldset>
  `;
}

/** Data of these minutes, which the next decision may be made from, count too. */
const BEFORE_MINUTES = 15;
const HOUR = 3600000;

/** From a little before now on, and once. @param {number} hours @returns {Recurring} */
function pauseNow(hours) {
  const start = new Date(Date.now() - 60000 * BEFORE_MINUTES);
  const parts = [start.getUTCMinutes(), start.getUTCHours(), start.getUTCDate(), start.getUTCMonth() + 1, "*"];
  const until = new Date(start.setUTCSeconds(0, 0) + HOUR * (hours + BEFORE_MINUTES / 60)).toISOString();
  return { cron: parts.join(" "), zone: "UTC", hours: hours + BEFORE_MINUTES / 60, until };
}

/** @param {Recurring} one */
function describe({ cron, zone, hours, until = null }) {
  const [minute, hour, day, month, week] = cron.split(" ");
  const length = duration(3600 * hours);
  const isClock = /^\d+$/.test(minute) && /^\d+$/.test(hour);
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}${zone === "UTC" ? "" : ` ${zone}`}`;
  const named = DAYS.find(([key]) => key === week)?.[1];
  const isYearly = isClock && /^\d+$/.test(day) && /^\d+$/.test(month) && week === "*";
  const isOver = until !== null && Date.parse(until) <= Date.now();
  const end = until === null ? "" : `${isOver ? "over since" : "until"} ${clock(until)}`;
  if (isYearly && until !== null) return `once, ${end}`;
  const often = isYearly
    ? `each year on the ${day}.${month}. from ${time} for ${length}`
    : isClock && day === "*" && month === "*" && named
    ? `${named} from ${time} for ${length}`
    : `${cron} (${zone}) for ${length}`;
  return end ? `${often}, ${end}` : often;
}
