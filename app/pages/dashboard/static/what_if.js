// What if there were more load, fewer processors, another target?
import { html, useLayoutEffect, useRef, useState } from "./view.js";
import { at, call } from "./api.js";
import { Chart } from "./chart.js";
import { change, count, duration, rate, rateLimit, sentence, short, UNKNOWN } from "./format.js";
import { Folded } from "./folded.js";
import { Trouble } from "./hooks.js";
import { Diagnostics } from "./verdict.js";
import { Tabs } from "./tabs.js";

/** @param {{name: string, query: URLSearchParams}} props */
export function WhatIfPage({ name, query }) {
  const [terms, setTerms] = useState(readTerms(query));
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const asking = useRef(/** @type {AbortController | null} */ (null));
  // Not useEffect, which waits until the page is painted: the answer would come some frames later.
  useLayoutEffect(() => {
    asking.current?.abort();
    const aborting = (asking.current = new AbortController());
    history.replaceState(null, "", writeAddress(name, terms));
    call(at(name, "/what-if"), { method: "POST", body: writeBody(terms), signal: aborting.signal }).then(
      (answer) => {
        setFound(answer);
        setProblem(null);
      },
      (error) => {
        if (!aborting.signal.aborted) setProblem(error);
      },
    );
    return () => aborting.abort();
  }, [name, terms]);
  const set = (part) => setTerms((before) => ({ ...before, ...part }));
  const setLoad = (event) => set({ load: Number((10 ** Number(event.target.value)).toPrecision(3)) });
  return html`
    <div class="page">
      <h1>${name}</h1>
      <${Tabs} name=${name} on="what-if" />
      <section class="card">
        <h2>What if</h2>
        <label class="slider">
          load × <span>${short(terms.load)}</span>
          <input type="range" min="-1" max="0.699" step="0.01" value=${Math.log10(terms.load)}
            aria-valuetext="${short(terms.load)} times the measured load" onInput=${setLoad} />
        </label>
        <label>
          processors at most${" "}
          <input type="number" min="1" value=${terms.kMax ?? ""} placeholder="no limit"
            onInput=${(event) => set({ kMax: readWhole(event.target.value) })} />
        </label>
        <label>
          E[T] at most, in seconds${" "}
          <input type="number" min="0" step="any" value=${terms.tMax ?? ""} placeholder="as the policy says"
            onInput=${(event) => set({ tMax: readPositive(event.target.value) })} />
        </label>
        <p class="quiet">Nothing is stored. The address of this page holds these terms: share it.</p>
      </section>
      <${Trouble} problem=${problem} />
      ${found && html`<${Answer} found=${found} />`}
    </div>
  `;
}

function Answer({ found }) {
  const { planned, gate } = found;
  return html`
    <div>
      <${Figures} found=${found} />
      <${Frontier} found=${found} />
      ${planned && html`<${Plan} planned=${planned} running=${gate?.processors ?? {}} />`}
    </div>
  `;
}

function Figures({ found }) {
  const { current, planned, gate } = found;
  const running = current?.stable ? duration(current.expected_sojourn_seconds) : "cannot keep up";
  return html`
    <section class="card">
      <dl class="figures">
        <div>
          <dt>rate</dt>
          <dd>${rate(found.external_rate)}</dd>
        </div>
        <div>
          <dt>what runs</dt>
          <dd>${current ? running : "not known"}</dd>
        </div>
        <div>
          <dt>gate</dt>
          <dd>${gate ? (gate.passed ? "✓ passes" : "▲ fails") : UNKNOWN}</dd>
        </div>
        <div>
          <dt>planned</dt>
          <dd>${planned ? duration(planned.expected_sojourn_seconds) : "nothing would do"}</dd>
        </div>
        <div>
          <dt>processors</dt>
          <dd>${change(current?.processors_total ?? null, planned?.processors_total ?? null)}</dd>
        </div>
        <div>
          <dt>what runs holds up to</dt>
          <dd>${rateLimit(gate?.headroom_rate)}</dd>
        </div>
      </dl>
      ${gate && html`
        <ul>
          ${gate.checks.map((one) => html`<li>${one.passed ? "✓" : "▲"} ${one.name}: ${sentence(one.detail)}</li>`)}
        </ul>
      `}
      <${Diagnostics} of=${[...found.diagnostics, ...(current?.diagnostics ?? [])]} />
    </section>
  `;
}

function Frontier({ found }) {
  const { current, planned, frontier } = found;
  const xs = frontier.map((one) => one.processors_total);
  const target = found.t_max_seconds === null
    ? []
    : [{ name: "target", values: xs.map(() => found.t_max_seconds), className: "target" }];
  const writeX = (x) => `${count(x)} processors`;
  const least = frontier.map((one) => one.expected_sojourn_seconds);
  const lines = [{ name: "least E[T]", values: least, className: "measured" }, ...target];
  const marks = [];
  if (current) {
    marks.push({ x: current.processors_total, text: `now: ${count(current.processors_total)}`, label: "now" });
  }
  if (planned) {
    marks.push({ x: planned.processors_total, text: `planned: ${count(planned.processors_total)}`, label: "planned" });
  }
  const cap = found.t_max_seconds && 4 * found.t_max_seconds;
  return html`
    <section class="card">
      <h2>E[T] over processors</h2>
      <${Chart} label="The best split of each number of processors" xs=${xs} writeX=${writeX} lines=${lines}
        write=${duration} marks=${marks} cap=${cap} />
      <${Folded} summary="Which operator gets each processor" draw=${() => html`<${Gains} frontier=${frontier} />`} />
    </section>
  `;
}

/** Which operator each processor more goes to. */
function Gains({ frontier }) {
  return html`
    <div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled">
      <table>
        <thead>
          <tr>
            <th scope="col">processors</th>
            <th scope="col">E[T]</th>
            <th scope="col">goes to</th>
          </tr>
        </thead>
        <tbody>
          ${frontier.map((one) =>
            html`
              <tr>
                <th scope="row">${count(one.processors_total)}</th>
                <td>${duration(one.expected_sojourn_seconds)}</td>
                <td>${one.operator ?? "the fewest that keep up"}</td>
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
  `;
}

function Plan({ planned, running }) {
  return html`
    <section class="card">
      <h2>The plan</h2>
      <div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled">
        <table>
          <thead>
            <tr>
              <th scope="col">operator</th>
              <th scope="col">now → planned</th>
            </tr>
          </thead>
          <tbody>
            ${Object.entries(planned.processors).map(([operator, many]) =>
              html`
                <tr>
                  <th scope="row">${operator}</th>
                  <td>${change(running[operator] ?? null, many)}</td>
                </tr>
              `
            )}
          </tbody>
        </table>
      </div>
    </section>
  `;
}

/** @param {URLSearchParams} query */
function readTerms(query) {
  return {
    load: readPositive(query.get("load") ?? "") ?? 1,
    kMax: readWhole(query.get("k_max") ?? ""),
    tMax: readPositive(query.get("t_max") ?? ""),
  };
}

/** @param {string} text */
function readPositive(text) {
  const value = Number(text);
  return text !== "" && Number.isFinite(value) && value > 0 ? value : null;
}

/** @param {string} text */
function readWhole(text) {
  const value = readPositive(text);
  return value === null ? null : Math.max(1, Math.round(value));
}

/** @param {{load: number, kMax: number | null, tMax: number | null}} terms */
function writeBody(terms) {
  return {
    load_factor: terms.load,
    ...(terms.kMax === null ? {} : { k_max: terms.kMax }),
    ...(terms.tMax === null ? {} : { t_max_seconds: terms.tMax }),
  };
}

/** @param {string} name @param {{load: number, kMax: number | null, tMax: number | null}} terms */
function writeAddress(name, terms) {
  const query = new URLSearchParams({ load: String(terms.load) });
  if (terms.kMax !== null) query.set("k_max", String(terms.kMax));
  if (terms.tMax !== null) query.set("t_max", String(terms.tMax));
  return `#/topologies/${encodeURIComponent(name)}/what-if?${query}`;
}
