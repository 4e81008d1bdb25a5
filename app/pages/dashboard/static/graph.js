// The operators as a layered graph: how busy each is, how much flows, and what would change.
import { findNeighbourhood, followStream } from "./neighbours.js";
import { html, useEffect, useRef, useState } from "./view.js";
import { change, percent, rate } from "./format.js";
import { useNarrow } from "./hooks.js";

const LETTER_WIDTH = 7.5;
const NODE_WIDTH = 168;
const NODE_HEIGHT = 56;
const MOST_NODES = 60;
const MOST_WHOLE = 300;
const MOST_LABELS = 80;
/** From this part of its time on, an operator is near its limit, or at it. */
const NEAR = 0.7;
const AT_LIMIT = 0.9;

/**
 * @typedef {{name: string, utilisation: number | null, arrival_rate: number | null, running: number | null,
 *   recommended: number | null}} Node
 * @typedef {{source: string, target: string, flow: number | null}} Edge
 * @typedef {{x: number, y: number}} Point
 * @typedef {{key: string, width: number, height: number, nodes: Record<string, Point>,
 *   edges: Record<string, Point[]>}} Placed where the worker puts each operator and each stream
 * @param {{nodes: Node[], edges: Edge[], middle: string | null, bottleneck: string | null,
 *   onPick: (name: string) => void}} props
 */
export function TopologyGraph({ nodes, edges, middle, bottleneck, onPick }) {
  const [isWhole, setWhole] = useState(false);
  const isPart = nodes.length > MOST_NODES && !isWhole;
  const shown = isPart ? findNeighbourhood(nodes, edges, middle, MOST_NODES) : { nodes, edges };
  const key = JSON.stringify([shown.nodes.map((one) => one.name), shown.edges.map((one) => [one.source, one.target])]);
  const placed = useLayout(key, shown);
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => showPlace(pane.current, placed && middle !== null ? placed.nodes[middle] : undefined), [
    placed,
    middle,
    isWhole,
  ]);
  const canBeWhole = nodes.length <= MOST_WHOLE;
  const isCut = isPart || (placed?.width ?? 0) > Math.min(1180, innerWidth - 55);
  return html`
    <div>
      <p class="quiet">
        ${isPart && `Shows ${shown.nodes.length} of ${nodes.length} operators: those nearest to ${middle}. `}
        ${isPart && !canBeWhole && "The table has all. "}
        ${canBeWhole && (isCut || isWhole) && html`
          <button aria-pressed=${isWhole} onClick=${() => setWhole(!isWhole)}>Whole graph</button>
        `}
      </p>
      ${!placed && html`<p class="quiet" aria-live="polite">Places ${shown.nodes.length} operators.</p>`}
      ${placed && html`
        <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled" ref=${pane}>
          <${Drawing} shown=${shown} placed=${placed} middle=${middle} bottleneck=${bottleneck} onPick=${onPick}
            isWhole=${isWhole} />
        </div>
        ${nodes.some((one) => one.utilisation !== null) && html`<${Legend} />`}
      `}
    </div>
  `;
}

/**
 * @param {{shown: {nodes: Node[], edges: Edge[]}, placed: Placed, middle: string | null, isWhole: boolean,
 *   bottleneck: string | null, onPick: (name: string) => void}} props
 */
function Drawing({ shown, placed, middle, bottleneck, isWhole, onPick }) {
  const refs = useRef(/** @type {Record<string, SVGElement | null>} */ ({}));
  const most = shown.edges.reduce((widest, one) => Math.max(widest, one.flow ?? 0), 1e-9);
  const step = (name, event) => {
    const target = followStream(shown, placed, name, event.key);
    if (event.key === "Enter" || event.key === " ") onPick(name);
    else if (target) refs.current[target]?.focus();
    else return;
    event.preventDefault();
  };
  return html`
    <svg class=${isWhole ? "graph whole" : "graph"} width=${isWhole ? undefined : placed.width}
      height=${isWhole ? undefined : placed.height} viewBox="0 0 ${placed.width} ${placed.height}" role="group"
      aria-label="Operators and the streams between them. Arrow keys follow the streams.">
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"
          markerUnits="userSpaceOnUse"><path d="M0 0L8 4L0 8z" /></marker>
      </defs>
      ${shown.edges.map((one) =>
        html`
          <${Stream} edge=${one} placed=${placed} most=${most}
            isLabelled=${shown.edges.length <= MOST_LABELS} />
        `
      )}
      ${shown.nodes.map((one) =>
        html`
          <${OperatorBox} node=${one} at=${placed.nodes[one.name]} isMiddle=${one.name === middle}
            isBottleneck=${one.name === bottleneck}
            keep=${(element) => (refs.current[one.name] = element)} onKey=${(event) => step(one.name, event)}
            onPick=${() => onPick(one.name)} />
        `
      )}
    </svg>
  `;
}

/** Scrolls a pane so that a place in it is in its middle. @param {HTMLElement | null} pane @param {Point} [place] */
function showPlace(pane, place) {
  if (pane && place) pane.scrollTo({ left: place.x - pane.clientWidth / 2, top: place.y - pane.clientHeight / 2 });
}

function Stream({ edge, placed, most, isLabelled }) {
  const width = 1 + 5 * Math.sqrt((edge.flow ?? 0) / most);
  const from = placed.nodes[edge.source];
  const title = `${edge.source} to ${edge.target}: ${rate(edge.flow)}`;
  if (edge.source === edge.target) {
    const y = from.y - NODE_HEIGHT / 2;
    const loop = `M${from.x + 20} ${y}c14 -24 -54 -24 -40 0`;
    return html`
      <path class="stream" stroke-width=${width} marker-end="url(#tip)" d=${loop}>
        <title>${title}</title>
      </path>
    `;
  }
  const points = placed.edges[JSON.stringify([edge.source, edge.target])] ?? [];
  const path = points.map((one, i) => `${i ? "L" : "M"}${one.x.toFixed(1)} ${one.y.toFixed(1)}`).join("");
  return html`
    <path class="stream" stroke-width=${width} marker-end="url(#tip)" d=${path}>
      <title>${title}</title>
    </path>
    ${isLabelled && edge.flow !== null && html`<${FlowLabel} points=${points} text=${rate(edge.flow)} />`}
  `;
}

/** How many tuples flow, above the middle of a stream. @param {{points: Point[], text: string}} props */
function FlowLabel({ points, text }) {
  const middle = points[Math.floor(points.length / 2)];
  if (!middle) return null;
  return html`<text class="flow" x=${middle.x} y=${
    middle.y - 6
  } text-anchor="middle" aria-hidden="true">${text}</text>`;
}

/** What the colours and lines say. */
function Legend() {
  const kinds = [
    ["cool", `room: below ${percent(NEAR)} busy`],
    ["warm", `near its limit: from ${percent(NEAR)}`],
    ["hot", `at its limit: from ${percent(AT_LIMIT)}`],
    ["over", "cannot keep up"],
  ];
  return html`
    <ul class="legend" aria-label="Legend">
      ${kinds.map(([kind, words]) => html`<li><span class="swatch ${kind}"></span>${words}</li>`)}
      <li><b>◆</b> tuples wait longest here</li>
      <li>a wider line: more tuples per second</li>
    </ul>
  `;
}

/** The text in so many characters, none of which is cut in two. */
function cut(text, most) {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : text;
}

function OperatorBox({ node, at, isMiddle, isBottleneck, keep, onKey, onPick }) {
  const busy = node.utilisation;
  const level = busy === null
    ? "unknown"
    : busy >= 1
    ? "over"
    : busy >= AT_LIMIT
    ? "hot"
    : busy >= NEAR
    ? "warm"
    : "cool";
  const counts = change(node.running, node.recommended);
  const name = cut(node.name, Math.max(3, Math.floor((NODE_WIDTH - 26) / LETTER_WIDTH) - counts.length));
  const words = [`${percent(busy)} busy`, rate(node.arrival_rate), `${counts} processors`];
  const label = `${node.name}: ${[...words, ...(isBottleneck ? ["tuples wait longest here"] : [])].join(", ")}`;
  const kind = `box ${level} ${isMiddle ? "middle" : ""}`;
  const place = `translate(${at.x - NODE_WIDTH / 2} ${at.y - NODE_HEIGHT / 2})`;
  const countsKind = (node.recommended ?? node.running) === node.running ? "small" : "badge";
  return html`
    <g class=${kind} tabindex="0" role="button" aria-label=${label} ref=${keep} onKeyDown=${onKey}
      onClick=${onPick}
      transform=${place}>
      <rect width=${NODE_WIDTH} height=${NODE_HEIGHT} rx="6" />
      <rect class="fill" y=${NODE_HEIGHT - 5} height="5" width=${NODE_WIDTH * Math.min(busy ?? 0, 1)} />
      <text x="10" y="20">${name}</text>
      <text x="10" y="40" class="small">${isBottleneck ? "◆ " : ""}${percent(busy)} busy · ${rate(
        node.arrival_rate,
      )}</text>
      <text x=${NODE_WIDTH - 10} y="20" text-anchor="end" class=${countsKind}>${counts}</text>
      <title>${label}</title>
    </g>
  `;
}

/** The place of each operator, from the worker; the last one asked for counts. */
function useLayout(key, shown) {
  const [placed, setPlaced] = useState(/** @type {Placed | null} */ (null));
  const isNarrow = useNarrow();
  useEffect(() => {
    const worker = startWorker();
    worker.onmessage = ({ data }) => setPlaced({ key, ...data });
    worker.postMessage({
      ask: key,
      narrow: isNarrow,
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      nodes: shown.nodes.map(({ name }) => ({ name })),
      edges: shown.edges,
    });
    return () => worker.terminate();
  }, [key, isNarrow]);
  return placed?.key === key ? placed : null;
}

function startWorker() {
  const address = new URL("layout.js", import.meta.url).href;
  // A strict policy takes the address of a worker only from a policy of its own.
  const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy(`layout-${Date.now()}-${Math.random()}`, {
    createScriptURL: (text) => text,
  });
  return new Worker(policy ? policy.createScriptURL(address) : address, { type: "module" });
}
