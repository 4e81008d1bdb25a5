// How true forecasts were, by how far ahead they looked: computed anew for past times, and judged by what came.
import { html } from "./view.js";
import { at } from "./api.js";
import { clock, count, counted, duration, percent, signed, UNKNOWN } from "./format.js";
import { LEVEL } from "./forecast_ahead.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

/** @param {{name: string}} props */
export function ForecastAccuracy({ name }) {
  // Computed anew for sixty past times: it is asked once for each visit.
  const found = useAnswer(at(name, `/forecasts/accuracy?level=${LEVEL}`), undefined, null);
  const answer = found.answer;
  return html`
    <section class="card">
      <h2>How true were forecasts, by how far ahead they looked?</h2>
      <${Trouble} problem=${found.problem} />
      <${Waiting} of=${found} />
      ${answer && html`
        <p>
          Forecasts are computed anew for ${counted(answer.origins, "past time")}, from ${clock(
            answer.first_origin,
          )}${" "}
          to ${clock(answer.last_origin)} UTC: each from what was measured until then, and compared with what was${" "}
          measured afterwards.
        </p>
        <${Leads} caption="The rate of one interval, and its ${percent(answer.level)} band" leads=${answer.rates}
          wanted=${answer.level} />
        <${Leads} caption="The highest rate until then, and its ${percent(
          answer.quantile,
        )} upper rate: decisions use it"
          leads=${answer.peaks} wanted=${answer.quantile} />
        <p class="quiet">
          Mean error: above 0 where forecasts were too high. Error either way: its mean size. Covered: how often what came${" "}
          was inside the band, or not above the upper rate. In brackets: where this share lies with 95% probability,${" "}
          counting only forecasts that do not overlap. ▲: all of that is below what is wanted.
        </p>
      `}
    </section>
  `;
}

/** @param {{caption: string, leads: any[], wanted: number}} props */
function Leads({ caption, leads, wanted }) {
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="leads">
        <caption>${caption}</caption>
        <thead>
          <tr>
            <th scope="col">ahead</th>
            <th scope="col">judged</th>
            <th scope="col">mean error</th>
            <th scope="col">error either way</th>
            <th scope="col">covered</th>
          </tr>
        </thead>
        <tbody>
          ${leads.map((one) =>
            html`
              <tr key=${one.steps}>
                <th scope="row">${duration(one.seconds)}</th>
                <td>${count(one.judged)}</td>
                <td>${signed(one.mean_error)}</td>
                <td>${percent(one.absolute_error)}</td>
                <td>${describeCoverage(one, wanted)}</td>
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** @param {{coverage: number | null, least_coverage: number, most_coverage: number}} lead @param {number} wanted */
function describeCoverage({ coverage, least_coverage, most_coverage }, wanted) {
  if (coverage === null) return UNKNOWN;
  // As written: 94.7% is shown as 95%, and is not below 95%.
  const sign = Math.round(100 * most_coverage) < Math.round(100 * wanted) ? "▲ " : "";
  return `${sign}${percent(coverage)} (${percent(least_coverage)} to ${percent(most_coverage)})`;
}
