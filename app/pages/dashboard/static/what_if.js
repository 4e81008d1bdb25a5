// What if there were more load, fewer processors, another target?
import { html, useRef } from "./view.js";
import { at } from "./api.js";
import { Chart } from "./chart.js";
import { change, count, duration, nameReach, rate, rateLimit, sentence, short, snapshots } from "./format.js";
import {
  LIMIT_OF_TIME,
  NumberField,
  readPositive,
  readTime,
  readWhole,
  TIME_WANTED,
  useField,
  writeTime,
} from "./fields.js";
import { Folded } from "./folded.js";
import { Trouble, useAnswer, useLast, useTerms } from "./hooks.js";
import { Code, Diagnostics, Figures } from "./verdict.js";
import { Tabs } from "./tabs.js";
import { DecisionSays, FailingNode, findCost, ForecastMark, Scenarios, useDecision } from "./what_if_beside.js";

/** The note that the decision has another number of processors stands beside the number. */
const DIFFERS = "differs-from-decision";

/** @typedef {{load: number, kMax: number | null, tMax: number | null, node: string}} Terms node: the one to be without */

/** @param {{name: string, query: URLSearchParams}} props */
export function WhatIfPage({ name, query }) {
  const [terms, setTerms] = useTerms(query, readTerms, (those) => writeAddress(name, those));
  const path = at(name, "/what-if");
  const usual = usePolicyTarget(path, terms);
  const found = useAnswer(usual.isKnown ? path : null, writeBody(terms, usual.target), null);
  if (terms.kMax === null && terms.tMax === null && found.answer) usual.keep(found.answer.t_max_seconds);
  // Until the numbers of these terms come, those of the terms before stay, in grey.
  const last = useLast(found.answer);
  const set = (part) => setTerms((before) => ({ ...before, ...part }));
  const kMax = useField(terms.kMax, { read: readWhole, write: String, onValue: (kMax) => set({ kMax }) });
  const tMax = useField(terms.tMax, { read: readTime, write: writeTime, onValue: (tMax) => set({ tMax }) });
  const decision = useDecision(name);
  const isOld = !found.answer || kMax.isWrong || tMax.isWrong;
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
        <${ForecastMark} decision=${decision} onLoad=${(load) => set({ load })} />
        <${NumberField} label="processors at most" placeholder="no limit" field=${kMax}
          wanted="Write a whole number from 1 on." />
        <${NumberField} label=${LIMIT_OF_TIME} placeholder=${usual.placeholder} field=${tMax} wanted=${TIME_WANTED} />
        <${FailingNode} name=${name} since=${last?.basis.last_observed_at ?? null} node=${terms.node}
          onNode=${(node) => set({ node })} />
        <p class="quiet">Nothing is stored. The address of this page holds what you entered: share it.</p>
      </section>
      <${Trouble} problem=${found.problem ?? usual.problem} />
      ${last && html`<${Answer} found=${last} isOld=${isOld} decision=${decision} />`}
    </div>
  `;
}

/**
 * The policy's target of E[T], which holds where a limit of processors is given without a target of its own; what-if
 * without terms says it.
 * @param {string} path @param {Terms} terms
 */
function usePolicyTarget(path, { kMax, tMax }) {
  const kept = useRef(/** @type {number | null | undefined} */ (undefined));
  const isNeeded = kMax !== null && tMax === null;
  const { answer, problem } = useAnswer(isNeeded && kept.current === undefined ? path : null, {}, null);
  const keep = (seconds) => kept.current = seconds;
  if (answer) keep(answer.t_max_seconds);
  const target = kept.current ?? null;
  const said = target === null ? "no target" : `${writeTime(target)} by the policy`;
  const placeholder = kept.current === undefined ? "as the policy says" : said;
  return { target, placeholder, problem, keep, isKnown: !isNeeded || kept.current !== undefined };
}

/** @param {{found: any, isOld: boolean, decision: any}} props isOld: the numbers belong to the terms before */
function Answer({ found, isOld, decision }) {
  const { planned, gate } = found;
  const differs = found.diagnostics.find((one) => one.code === DIFFERS);
  const aged = found.diagnostics.find((one) => one.code === "old-snapshots");
  return html`
    <div class=${isOld || aged ? "old" : ""} aria-busy=${isOld}>
      <p class="quiet">${isOld
        ? "The numbers below are for what was entered before."
        : "The numbers below are for what is entered above."}</p>
      ${aged &&
        html`<p role="note">${sentence(aged.detail)} Send a newer snapshot before you act on these numbers.</p>`}
      <section class="card">
        <${Figures} of=${listFigures(found, findCost(decision))} />
        ${differs && html`<p role="note">${sentence(differs.detail)} <${Code} of=${differs} /></p>`}
        ${differs && html`<${DecisionSays} decision=${decision} />`}
      </section>
      <${Scenarios} found=${found} decision=${decision} />
      <${Checks} found=${found} />
      <${Frontier} found=${found} />
      ${planned && html`<${Plan} planned=${planned} running=${gate?.processors ?? {}} />`}
    </div>
  `;
}

/**
 * Each number of the answer, with the processors that it is of.
 * @param {any} found @param {[string, (estimate: any) => string]} cost @returns {import("./verdict.js").Figure[]}
 */
function listFigures({ current, planned, gate, basis, load_factor, external_rate, t_max_seconds }, [costs, write]) {
  const runs = current?.processors_total ?? null;
  const kind = planned?.objective === "min-processors" ? "the fewest for the target" : "in their best split";
  const now = rate(external_rate);
  const misses = planned && t_max_seconds !== null && planned.expected_sojourn_seconds > t_max_seconds;
  const failsAtAnyRate = gate && !gate.passed && gate.headroom_rate === null;
  /** @type {import("./verdict.js").Figure[]} */
  const ofRunning = [
    [
      `estimated E[T] of the ${count(runs)} that run, at ${now}`,
      current?.stable ? duration(current.expected_sojourn_seconds) : "cannot keep up",
    ],
    failsAtAnyRate
      ? ["rate up to which every check passes", "none: see the checks"]
      : [nameReach(runs ?? 0, t_max_seconds !== null), rateLimit(gate?.headroom_rate)],
  ];
  return [
    [`rate, ${snapshots(basis.snapshots)}${load_factor === 1 ? "" : ` × ${short(load_factor)}`}`, now],
    [
      "processors that run → planned",
      planned ? change(runs, planned.processors_total) : `${count(runs)} → none`,
    ],
    [`${costs}, as it runs → planned`, [...new Set([current, planned].filter(Boolean).map(write))].join(" → ")],
    ...(current ? ofRunning : []),
    planned
      ? [
        `estimated E[T] of the ${count(planned.processors_total)} planned (${kind}), at ${now}`,
        `${duration(planned.expected_sojourn_seconds)}${misses ? " ▲ above the target" : ""}`,
      ]
      : ["estimated E[T] as planned", "no plan would do"],
    ...(t_max_seconds === null ? [] : [/** @type {[string, string]} */ (["target", duration(t_max_seconds)])]),
  ];
}

/** Whether what runs would pass, why not, and notes on the data. */
function Checks({ found }) {
  const { current, gate } = found;
  return html`
    <section class="card">
      <h2>
        ${gate
          ? `The ${count(gate.processors_total)} that run: ${gate.passed ? "✓ every check passes" : "▲ a check fails"}`
          : "Which processors run is not known"}
      </h2>
      ${gate && html`
        <ul>
          ${gate.checks.map((one) =>
            html`
              <li>${one.passed ? "✓" : "▲"} ${sentence(one.detail)} <${Code} of=${{ code: one.name }} /></li>
            `
          )}
        </ul>
      `}
      <${Diagnostics} of=${[
        ...found.diagnostics.filter((one) => one.code !== DIFFERS),
        ...(current?.diagnostics ?? []),
      ]} />
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
      <h2>Estimated E[T] over processors, at ${rate(found.external_rate)}</h2>
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
                <td>${one.operator ?? "all: the fewest that keep up"}</td>
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
    node: query.get("node") ?? "",
  };
}

/** @param {Terms} terms @param {number | null} policyTarget */
function writeBody({ load, kMax, tMax, node }, policyTarget) {
  const seconds = tMax ?? (kMax === null ? null : policyTarget);
  return {
    load_factor: load,
    ...(kMax === null ? {} : { k_max: kMax }),
    ...(seconds === null ? {} : { t_max_seconds: seconds }),
    ...(node ? { failing_node: node } : {}),
  };
}

/** @param {string} name @param {Terms} terms */
function writeAddress(name, terms) {
  const query = new URLSearchParams({ load: String(terms.load) });
  if (terms.kMax !== null) query.set("k_max", String(terms.kMax));
  if (terms.tMax !== null) query.set("t_max", String(terms.tMax));
  if (terms.node) query.set("node", terms.node);
  return `#/topologies/${encodeURIComponent(name)}/what-if?${query}`;
}
