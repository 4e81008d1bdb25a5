// May I trust the future? The rate to come, how true such forecasts were, the VMs that it needs, and backtests.
import { html } from "./view.js";
import { Backtests } from "./backtests.js";
import { ForecastAccuracy } from "./forecast_accuracy.js";
import { ForecastAhead } from "./forecast_ahead.js";
import { PastForecasts } from "./past_forecasts.js";
import { Tabs } from "./tabs.js";
import { VmSchedule } from "./vm_schedule.js";

/** @param {{name: string, query: URLSearchParams, session: {may_store: boolean}}} props */
export function ForecastPage({ name, query, session }) {
  return html`
    <div class="page">
      <h1>${name}</h1>
      <${Tabs} name=${name} on="forecast" />
      <${ForecastAhead} name=${name} query=${query} />
      <${ForecastAccuracy} name=${name} />
      <${PastForecasts} name=${name} />
      <${VmSchedule} name=${name} />
      <${Backtests} name=${name} session=${session} />
    </div>
  `;
}
