// Where is the bottleneck, and what should I do?
import { html, useState } from "./view.js";
import { at, call } from "./api.js";
import { Chart } from "./chart.js";
import { ago, change, clock, count, duration, percent, rate, short } from "./format.js";
import { TopologyGraph } from "./graph.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

const MOST_ROWS = 200;
const FORMATS = ["json", "flink", "storm", "heron", "keda", "kubernetes", "flink-operator"];

/** @param {{name: string, session: {may_store: boolean}}} props */
export function TopologyPage({ name, session }) {
  const topology = useAnswer(at(name));
  const newest = useAnswer(at(name, "/decisions?limit=1"));
  const id = newest.answer?.items[0]?.id ?? null;
  const decided = useAnswer(id && `/v1/decisions/${id}`);
  const series = useAnswer(at(name, "/series?points=288"));
  const [picked, setPicked] = useState(/** @type {string | null} */ (null));
  const decision = decided.answer;
  const none = newest.answer !== null && id === null;
  return html`
    <div class="page">
      <h1>${name}</h1>
      <${Tabs} name=${name} on="topology" />
      <${Trouble} problem=${topology.problem} />
      <${Waiting} of=${topology} />
      ${none && html`<${Undecided} name=${name} session=${session} />`}
      ${!none && html`<${Trouble} problem=${newest.problem ?? decided.problem} />`}
      ${decision && html`<${Verdict} decision=${decision} />`}
      ${topology.answer && html`
        <${Operators} topology=${topology.answer} decision=${decision} picked=${picked} onPick=${setPicked} />
      `}
      ${decision && html`<${Why} decision=${decision} />`}
      ${decision && html`<${Patch} decision=${decision} />`}
      <${OverTime} series=${series} />
    </div>
  `;
}

/** @type {[key: string, text: string, path: string][]} */
const TABS = [
  ["topology", "Topology", ""],
  ["what-if", "What if", "/what-if"],
  ["decisions", "Decisions", "/decisions"],
  ["forecast", "Forecast", "/forecast"],
];

/** @param {{name: string, on: string}} props */
export function Tabs({ name, on }) {
  const root = `#/topologies/${encodeURIComponent(name)}`;
  return html`
    <nav class="tabs" aria-label="Pages of this topology">
      ${TABS.map(([key, text, path]) =>
        html`<a href=${root + path} aria-current=${key === on ? "page" : undefined}>${text}</a>`
      )}
    </nav>
  `;
}

function Undecided({ name, session }) {
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const decide = () => call(at(name, "/decisions"), { method: "POST" }).then(() => location.reload(), setProblem);
  return html`
    <section class="card">
      <h2>Nothing is decided yet</h2>
      <p>A decision needs a policy, which says what is wanted, and a snapshot of the measured load.</p>
      <${Trouble} problem=${problem} />
      ${session.may_store && html`<button onClick=${decide}>Decide now</button>`}
    </section>
  `;
}

const SENTENCES = {
  hold: "Keep what runs.",
  scale_up: "Run more processors.",
  scale_down: "Run fewer processors.",
  rebalance: "Move processors between operators.",
};

function Verdict({ decision }) {
  const { processors, current } = decision;
  const target = decision.policy?.goal?.t_max_seconds ?? decision.policy?.goal?.target?.seconds ?? null;
  const seconds = decision.measured_sojourn_seconds ?? current.expected_sojourn_seconds;
  const why = decision.reasons.map((one) => one.detail).join(" ");
  return html`
    <section class=${`card verdict ${current.stable ? decision.action : "overloaded"}`}>
      <p class="sentence"><strong>${SENTENCES[decision.action]}</strong> ${why}</p>
      <dl class="figures">
        <div>
          <dt>E[T] ${decision.measured_sojourn_seconds === null ? "estimated" : "measured"}</dt>
          <dd>${current.stable ? duration(seconds) : "grows without end"}</dd>
        </div>
        <div>
          <dt>E[T] as recommended</dt>
          <dd>${duration(decision.expected_sojourn_seconds)}</dd>
        </div>
        <div>
          <dt>target</dt>
          <dd>${duration(target)}</dd>
        </div>
        <div>
          <dt>processors</dt>
          <dd>${change(processors.current_total, processors.recommended_total)}</dd>
        </div>
        <div>
          <dt>rate</dt>
          <dd>${rate(decision.external_rate)}</dd>
        </div>
        <div>
          <dt>holds up to</dt>
          <dd>${rate(decision.counterfactuals.holds_up_to_rate)}</dd>
        </div>
        <div>
          <dt>decided on data until</dt>
          <dd>${clock(decision.decided_for)} UTC (${ago(decision.decided_for)})</dd>
        </div>
      </dl>
    </section>
  `;
}

const COLUMNS = [
  "operator",
  "busy",
  "arrivals",
  "one processor serves",
  "wait",
  "wait + service",
  "queueing",
  "processors",
];

function Operators({ topology, decision, picked, onPick }) {
  const [isAll, setAll] = useState(false);
  const estimates = new Map((decision?.current.operators ?? []).map((one) => [one.name, one]));
  const rows = topology.operators.map((one) => ({
    name: one.name,
    queueing: one.queueing ?? topology.queueing ?? "not said",
    utilisation: estimates.get(one.name)?.hottest_utilisation ?? estimates.get(one.name)?.utilisation ?? null,
    arrival_rate: estimates.get(one.name)?.arrival_rate ?? null,
    service_rate: estimates.get(one.name)?.service_rate ?? null,
    wait: estimates.get(one.name)?.wait_seconds ?? null,
    sojourn: estimates.get(one.name)?.sojourn_seconds ?? null,
    running: decision?.processors.current[one.name] ?? null,
    recommended: decision?.processors.recommended[one.name] ?? null,
  }));
  const busiest = rows.reduce((most, one) => ((one.utilisation ?? -1) > (most?.utilisation ?? -1) ? one : most), null);
  const edges = topology.edges.map((one) => {
    const source = estimates.get(one.source);
    return { source: one.source, target: one.target, flow: source ? source.arrival_rate * one.selectivity : null };
  });
  const middle = picked ?? busiest?.name ?? rows[0]?.name ?? null;
  const listed = isAll ? rows : rows.slice(0, MOST_ROWS);
  const hidden = rows.length - listed.length;
  const isBusyKnown = (busiest?.utilisation ?? null) !== null;
  return html`
    <section class="card">
      <h2>Operators</h2>
      ${isBusyKnown &&
        html`<p>The busiest is <strong>${busiest.name}</strong>: ${percent(busiest.utilisation)} busy.</p>`}
      <${TopologyGraph} nodes=${rows} edges=${edges} middle=${middle} onPick=${onPick} />
      <div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled">
        <table class="wide">
          <thead>
            <tr>${COLUMNS.map((one) => html`<th scope="col">${one}</th>`)}</tr>
          </thead>
          <tbody>
            ${listed.map((one) =>
              html`
                <tr class=${one.name === picked ? "picked" : ""} key=${one.name}>
                  <th scope="row">${one.name}</th>
                  <td>${percent(one.utilisation)}</td>
                  <td>${rate(one.arrival_rate)}</td>
                  <td>${rate(one.service_rate)}</td>
                  <td>${duration(one.wait)}</td>
                  <td>${duration(one.sojourn)}</td>
                  <td>${one.queueing}</td>
                  <td>${change(one.running, one.recommended)}</td>
                </tr>
              `
            )}
          </tbody>
        </table>
      </div>
      ${hidden > 0 && html`<button onClick=${() => setAll(true)}>Show all ${count(rows.length)}</button>`}
    </section>
  `;
}

function Why({ decision }) {
  const { counterfactuals: other, basis } = decision;
  const { outcome, current: { evidence } } = decision;
  const fewerRate = other.one_fewer_up_to_rate;
  return html`
    <section class="card">
      <h2>Why</h2>
      <ul>
        ${decision.reasons.map((one) => html`<li>${one.detail} <${Code} of=${one} /></li>`)}
        ${decision.constraints.map((one) => html`<li>Bound: ${one.detail} <${Code} of=${one} /></li>`)}
      </ul>
      <p>
        With one processor fewer E[T] would be ${duration(other.one_fewer_sojourn_seconds)}
        ${fewerRate === null ? "" : `, and it would hold up to ${rate(fewerRate)}`}.${" "}
        As recommended it holds up to ${rate(other.holds_up_to_rate)}.
      </p>
      ${decision.catching_up && html`<p>${decision.catching_up.detail}</p>`}
      ${outcome && html`<p>Outcome: ${outcome.state}${describeMeasured(outcome)}.</p>`}
      <p class="quiet">
        From ${count(basis.snapshots)} snapshots of revision ${basis.revision}, ${clock(
          basis.first_observed_at,
        )} to${" "}
        ${clock(basis.last_observed_at)} UTC.${" "}
        ${evidence?.known_error && html`
          For this kind of input the estimate errs by ${percent(evidence.known_error)} on average.
        `}
      </p>
      ${decision.diagnostics.length > 0 && html`
        <details open>
          <summary>What to know of the data (${decision.diagnostics.length})</summary>
          <ul>${decision.diagnostics.map((one) => html`<li>${one.detail} <${Code} of=${one} /></li>`)}</ul>
        </details>
      `}
    </section>
  `;
}

/** The stable code of a reason or a diagnostic. @param {{of: {code: string}}} props */
function Code({ of }) {
  return html`<span class="code">${of.code}</span>`;
}

/** @param {{measured_seconds: number | null, expected_seconds: number | null}} outcome */
function describeMeasured({ measured_seconds, expected_seconds }) {
  return measured_seconds === null
    ? ""
    : `, E[T] measured ${duration(measured_seconds)} for ${duration(expected_seconds)} promised`;
}

function Patch({ decision }) {
  const [format, setFormat] = useState("json");
  const [copied, setCopied] = useState("");
  const found = useAnswer(`/v1/decisions/${decision.id}/patch?format=${format}`);
  const patch = found.answer;
  const text = patch ? (patch.command ?? JSON.stringify(patch.body, null, 2)) : "";
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied("Copied."),
      () => setCopied("The browser does not allow it: select the text."),
    );
  const choose = (event) => {
    setFormat(event.target.value);
    setCopied("");
  };
  return html`
    <section class="card">
      <h2>What to send where</h2>
      <label>
        for${" "}
        <select aria-label="Format" value=${format} onChange=${choose}>
          ${FORMATS.map((one) => html`<option value=${one}>${one}</option>`)}
        </select>
      </label>
      <${Trouble} problem=${found.problem} />
      ${patch?.path && html`<p><code>${patch.method} ${patch.path}</code></p>`}
      ${patch && html`
        <pre class="patch">${text}</pre>
        <p><button onClick=${copy}>Copy</button> <span aria-live="polite">${copied}</span></p>
        <ul>${(patch.notes ?? []).map((one) => html`<li>${one}</li>`)}</ul>
      `}
    </section>
  `;
}

function OverTime({ series }) {
  const found = series.answer;
  if (!found) return html`<${Trouble} problem=${series.problem} />`;
  const xs = found.points.map((one) => Date.parse(one.at));
  const values = (field) => found.points.map((one) => one[field]);
  const target = found.target_seconds === null
    ? []
    : [{ name: "target", values: xs.map(() => found.target_seconds), className: "target" }];
  const times = [
    { name: "E[T] measured", values: values("measured_sojourn_seconds"), className: "measured" },
    { name: "E[T] estimated", values: values("expected_sojourn_seconds"), className: "expected" },
    ...target,
  ];
  const rates = [
    { name: "mean", values: values("external_rate"), className: "measured" },
    { name: "highest", values: values("highest_rate"), className: "expected" },
  ];
  const processors = [
    { name: "running", values: values("processors_running"), className: "measured" },
    { name: "recommended", values: values("processors_recommended"), className: "expected" },
  ];
  const cap = found.target_seconds && 3 * found.target_seconds;
  return html`
    <section class="card">
      <h2>Over time (UTC)</h2>
      <${Chart} label="External rate" xs=${xs} writeX=${clock} lines=${rates} write=${rate} />
      <${Chart} label="E[T]" xs=${xs} writeX=${clock} lines=${times} write=${duration} cap=${cap} />
      <${Chart} label="Processors" xs=${xs} writeX=${clock} lines=${processors} write=${short} />
    </section>
  `;
}
