// How true forecasts were, by how far ahead they looked: computed anew for past times, and judged by what came.
import { html } from "./view.js";
import { at } from "./api.js";
import { clock, count, counted, duration, percent, signed, UNKNOWN } from "./format.js";
import { LEVEL } from "./over_time.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

/** @param {{name: string}} props */
export function ForecastAccuracy({ name }) {
  // Computed anew for many past times: it is asked once for each visit.
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
          measured afterwards. The forecasts that decisions used are judged apart, in the card “What decisions were ready for”:${" "}
          they are of other times, so their numbers differ from these.
        </p>
        <${Leads} caption="The rate of one interval, and its ${percent(answer.level)} band" leads=${answer.rates} />
        <${Leads} caption="The highest rate until then, and its ${percent(
          answer.quantile,
        )} upper rate: decisions use it"
          leads=${answer.peaks.filter((one) => one.steps > 1)} />
        <p class="quiet">
          Judged: how many forecasts could be compared; not those whose time is not over or was not all measured, or that${" "}
          knew too little to look so far ahead. Mean error:${" "}
          the sum of what was expected too much or too little, as a part of what came; below 0: too little. Size of the error: the same,${" "}
          where too much and too little do not cancel. Covered: how often what came was inside the band, or not above the${" "}
          upper rate. In brackets: between what the true share lies, as far as so many can tell (of forecasts whose${" "}
          times overlap only one counts for this). ▲: all of that is below what is wanted. For one interval the highest rate is its rate, so the${" "}
          second table has no such row.
        </p>
      `}
    </section>
  `;
}

/** @param {{caption: string, leads: any[]}} props */
function Leads({ caption, leads }) {
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table class="leads">
        <caption>${caption}</caption>
        <thead>
          <tr>
            <th scope="col">ahead</th>
            <th scope="col">judged</th>
            <th scope="col">mean error</th>
            <th scope="col">size of the error</th>
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
                <td>${describeCoverage(one)}</td>
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
  `;
}

/**
 * How often what came was covered, where this share lies, and ▲ where all of that is below what is wanted.
 * @param {{coverage: number | null, least_coverage: number, most_coverage: number, falls_short: boolean}} found
 */
export function describeCoverage({ coverage, least_coverage, most_coverage, falls_short }) {
  if (coverage === null) return UNKNOWN;
  return `${falls_short ? "▲ " : ""}${percent(coverage)} (${percent(least_coverage)} to ${percent(most_coverage)})`;
}
