// What is behind one operator: how its tuples are spread over its instances, as measured, and the groups that stay whole.
import { html } from "./view.js";
import { at } from "./api.js";
import { count, counted, percent, rate } from "./format.js";
import { useAnswer } from "./hooks.js";

const MOST_BARS = 64;

/** @param {{name: string, operator: any, basis: {last_observed_at: string} | null}} props */
export function Instances({ name, operator, basis }) {
  const from = basis && `/snapshots?limit=1&from=${encodeURIComponent(basis.last_observed_at)}`;
  const found = useAnswer(from && at(name, from), undefined, null).answer?.items[0];
  const measured = found?.operators[operator.name]?.instances ?? [];
  const even = operator.processors ? 1 / operator.processors : null;
  const hottest = operator.hottest_share;
  return html`
    <section class="instances" aria-label="Instances of ${operator.name}">
      <h3>${operator.name}: ${counted(operator.processors, "processor")}</h3>
      <p>
        ${hottest === null || even === null || hottest <= even * 1.0001
          ? html`Each instance is taken to get the same share, ${percent(even)} of ${rate(operator.arrival_rate)}.`
          : html`
            The busiest instance gets ${percent(hottest)} of ${rate(
              operator.arrival_rate,
            )}, where an even share is${" "}
            ${percent(even)}: it is ${percent(operator.hottest_utilisation)} busy, and the mean of all is${" "}
            ${percent(operator.utilisation)}.
          `}
        ${" "}${operator.groups !== null &&
          `Its keys are in ${counted(operator.groups, "group")}, each whole on one instance.`}
        ${" "}${operator.next_useful_processors !== null &&
          `${counted(operator.next_useful_processors, "processor")} would be the next number that serves more.`}
      </p>
      ${measured.length > 0
        ? html`<${Bars} of=${measured} />`
        : html`<p class="quiet">The newest snapshot has no shares of its instances.</p>`}
    </section>
  `;
}

/** A bar for each measured instance, the largest share first. @param {{of: {instance: string | number, share: number}[]}} props */
function Bars({ of }) {
  const sorted = [...of].sort((a, b) => b.share - a.share);
  const most = sorted[0].share || 1;
  const even = 1 / of.length;
  const left = sorted.length - MOST_BARS;
  return html`
    <ol class="bars">
      ${sorted.slice(0, MOST_BARS).map((one) =>
        html`
          <li key=${one.instance}>
            <span class="bar-name">${one.instance}</span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect class=${one.share > 1.1 * even ? "much" : ""} width=${100 * one.share / most} height="10" />
              <line x1=${100 * even / most} x2=${100 * even / most} y1="0" y2="10" />
            </svg>
            <span>${percent(one.share)}</span>
          </li>
        `
      )}
    </ol>
    <p class="quiet">
      Measured shares of the newest snapshot; the line is an even share.${left > 0 &&
        ` ${count(left)} smaller ones are not drawn.`}
    </p>
  `;
}
