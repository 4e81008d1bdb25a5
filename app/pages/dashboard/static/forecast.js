// May I trust the future? The rate to come, how true such forecasts were, the VMs that it needs, and backtests.
import { html } from "./view.js";
import { at } from "./api.js";
import { Backtests } from "./backtests.js";
import { ForecastAccuracy } from "./forecast_accuracy.js";
import { ForecastAhead } from "./forecast_ahead.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";
import { PastForecasts } from "./past_forecasts.js";
import { Tabs } from "./tabs.js";
import { VmSchedule } from "./vm_schedule.js";

/** A forecast needs so many intervals, and its accuracy one more to judge by. */
const NEEDED = 31;

/** @param {{name: string, query: URLSearchParams, session: {may_store: boolean}}} props */
export function ForecastPage({ name, query, session }) {
  const first = useAnswer(at(name, `/snapshots?limit=${NEEDED}`));
  const known = first.answer?.items ?? [];
  return html`
    <div class="page">
      <h1>${name}</h1>
      <${Tabs} name=${name} on="forecast" />
      <${Trouble} problem=${first.problem} />
      <${Waiting} of=${first} />
      ${first.answer && known.length < NEEDED && html`<${TooShort} name=${name} known=${known.length} />`}
      ${known.length >= NEEDED && html`
        <${ForecastAhead} name=${name} query=${query} oldest=${known[0].observed_at} />
        <${ForecastAccuracy} name=${name} />
        <${PastForecasts} name=${name} />
        <${VmSchedule} name=${name} />
        <${Backtests} name=${name} session=${session} />
      `}
    </div>
  `;
}

/** @param {{name: string, known: number}} props */
function TooShort({ name, known }) {
  return html`
    <section class="card">
      <h2>There is too little to forecast from</h2>
      <p>
        A forecast and its accuracy need ${NEEDED} measured intervals of one length, and ${known} are stored: POST more${" "}
        to <code>${at(name, "/snapshots")}</code>. This page shows them as soon as they are there.
      </p>
    </section>
  `;
}
