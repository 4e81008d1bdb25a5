// The rate to come with its band, as of now or of any past time, beside what came since.
import { html, useRef, useState } from "./view.js";
import { at } from "./api.js";
import { Chart } from "./chart.js";
import { clock, count, duration, percent, rate, UNKNOWN } from "./format.js";
import { Trouble, useAnswer, useTerms, Waiting } from "./hooks.js";
import { LEVEL } from "./over_time.js";
import { Diagnostics } from "./verdict.js";

const AHEAD = [15, 30, 60, 120, 240];
const BEFORE = 3;
const FEWEST = 30;

/** @typedef {{asOf: string | null, steps: number}} Terms */

/** @param {{name: string, query: URLSearchParams, oldest: string}} props */
export function ForecastAhead({ name, query, oldest }) {
  const [terms, setTerms] = useTerms(query, readTerms, (those) => writeAddress(name, those));
  const found = useAnswer(at(name, `/forecasts/workload?${writeQuery(terms)}`));
  const shown = useRef(/** @type {any} */ (null));
  if (found.answer) shown.current = found.answer;
  const answer = shown.current;
  const set = (part) => setTerms((before) => ({ ...before, ...part }));
  return html`
    <section class="card">
      <h2>The external rate to come (UTC)</h2>
      <${Trouble} problem=${found.problem} />
      ${!answer && html`<${Waiting} of=${found} />`}
      ${answer && html`<${AsOf} name=${name} terms=${terms} answer=${answer} set=${set} oldest=${oldest} />`}
      ${answer && html`<${Ahead} answer=${answer} />`}
      <p class="quiet">Nothing is stored. The address of this page holds the time: share it.</p>
    </section>
  `;
}

/** The time and the reach of the forecast. */
function AsOf({ name, terms, answer, set, oldest }) {
  const step = answer.step_seconds * 1000;
  const series = useAnswer(at(name, "/series?points=1"), undefined, null).answer;
  const last = series ? Date.parse(series.to) : 0;
  const span = series ? Math.floor((last - Date.parse(oldest)) / step) : 0;
  return html`
    <div>
      ${span > FEWEST && html`<${Slider} last=${last} span=${span} step=${step} asOf=${terms.asOf} set=${set} />`}
      <label>
        ahead${" "}
        <select value=${terms.steps} onChange=${(event) => set({ steps: Number(event.target.value) })}>
          ${AHEAD.map((one) =>
            html`
              <option value=${one} selected=${one === terms.steps}>${duration(one * answer.step_seconds)}</option>
            `
          )}
        </select>
      </label>
      ${terms.asOf !== null && html`<button onClick=${() => set({ asOf: null })}>As of now</button>`}
    </div>
  `;
}

/**
 * A slider over the stored history, one interval a place; its right end is now.
 * @param {{last: number, span: number, step: number, asOf: string | null, set: (part: object) => void}} props
 */
function Slider({ last, span, step, asOf, set }) {
  const [moved, setMoved] = useState(/** @type {number | null} */ (null));
  const find = (place) => (place >= span ? null : new Date(last - (span - place) * step).toISOString());
  const chosen = asOf === null ? span : span - Math.round((last - Date.parse(asOf)) / step);
  const place = moved ?? Math.min(Math.max(chosen, FEWEST), span);
  const time = moved === null ? asOf : find(moved);
  const says = time === null ? "now" : clock(time);
  const choose = (event) => {
    setMoved(null);
    set({ asOf: find(Number(event.target.value)) });
  };
  return html`
    <label class="slider">
      as of <span>${says}</span>
      <input type="range" min=${FEWEST} max=${span} step="1" value=${place} aria-valuetext=${says}
        onInput=${(event) => setMoved(Number(event.target.value))} onChange=${choose} />
    </label>
  `;
}

function Ahead({ answer }) {
  const { measured, expected, level, as_of } = answer;
  const known = measured.length;
  const xs = [...measured, ...expected].map((one) => Date.parse(one.at));
  const blank = measured.map(() => null);
  const seen = measured.map((one) => (one.filled ? null : one.rate));
  const came = expected.map((one) => one.came_rate);
  const judged = expected.filter((one) => one.came_rate !== null);
  const covered = judged.filter((one) => one.lower <= one.came_rate && one.came_rate <= one.upper);
  const lines = [
    { name: as_of ? "measured, before and since" : "measured", values: [...seen, ...came], className: "measured" },
    { name: "expected", values: [...blank, ...expected.map((one) => one.rate)], className: "expected" },
  ];
  const band = {
    name: `${percent(level)} band`,
    lower: [...blank, ...expected.map((one) => one.lower)],
    upper: [...blank, ...expected.map((one) => one.upper)],
  };
  const marks = expected.length ? [{ x: xs[known], text: "Known until here", label: as_of ? "as of" : "now" }] : [];
  const inside = judged.length ? `${count(covered.length)} of ${count(judged.length)}` : UNKNOWN;
  const last = expected[expected.length - 1];
  return html`
    <div>
      <dl class="figures">
        <div>
          <dt>${last
            ? `rate of one interval (${duration(answer.step_seconds)}) in ${
              duration(expected.length * answer.step_seconds)
            }, and its ${percent(level)} band`
            : "rate to come"}</dt>
          <dd>
            ${last ? `${rate(last.rate)} (${rate(last.lower)} to ${rate(last.upper)})` : UNKNOWN}
          </dd>
        </div>
        <div>
          <dt>measured since, inside the band</dt>
          <dd>${inside}</dd>
        </div>
      </dl>
      <${Chart} label="External rate" xs=${xs} writeX=${clock} lines=${lines} band=${band}
        marks=${marks}
        isTime=${true} write=${rate} />
      <p class="quiet">
        The rate of one interval lies above the band with a probability of ${percent(
          (1 - level) / 2,
        )}, and below it with${" "}
        the same. Decisions use another number of the same forecast: the highest rate of all intervals until the next${" "}
        change is possible.
      </p>
      <${Diagnostics} of=${answer.diagnostics} />
    </div>
  `;
}

/** @param {URLSearchParams} query @returns {Terms} */
function readTerms(query) {
  const time = Date.parse(query.get("as_of") ?? "");
  const steps = Number(query.get("steps"));
  return {
    asOf: Number.isFinite(time) ? new Date(time).toISOString() : null,
    steps: AHEAD.includes(steps) ? steps : 60,
  };
}

/** @param {Terms} terms */
function writeQuery({ asOf, steps }) {
  const query = { level: String(LEVEL), steps: String(steps), history_steps: String(BEFORE * steps) };
  return new URLSearchParams(asOf === null ? query : { ...query, as_of: asOf });
}

/** @param {string} name @param {Terms} terms */
function writeAddress(name, { asOf, steps }) {
  const query = new URLSearchParams({ steps: String(steps), ...(asOf === null ? {} : { as_of: asOf }) });
  return `#/topologies/${encodeURIComponent(name)}/forecast?${query}`;
}
