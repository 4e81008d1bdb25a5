// The operators as a layered graph: how busy each is, how much flows, and what would change.
import { html, useEffect, useRef, useState } from "./view.js";
import { change, percent, rate } from "./format.js";

const LETTER_WIDTH = 7.5;
const NODE_WIDTH = 168;
const NODE_HEIGHT = 56;
const MOST_NODES = 60;
const MOST_WHOLE = 300;

/**
 * @typedef {{name: string, utilisation: number | null, arrival_rate: number | null, running: number | null,
 *   recommended: number | null}} Node
 * @typedef {{source: string, target: string, flow: number | null}} Edge
 * @typedef {{x: number, y: number}} Point
 * @typedef {{key: string, width: number, height: number, nodes: Record<string, Point>,
 *   edges: Record<string, Point[]>}} Placed where the worker puts each operator and each stream
 * @param {{nodes: Node[], edges: Edge[], middle: string | null, onPick: (name: string) => void}} props
 */
export function TopologyGraph({ nodes, edges, middle, onPick }) {
  const shown = nodes.length > MOST_NODES ? findNeighbourhood(nodes, edges, middle) : { nodes, edges };
  const key = JSON.stringify([shown.nodes.map((one) => one.name), shown.edges.map((one) => [one.source, one.target])]);
  const placed = useLayout(key, shown);
  const refs = useRef(/** @type {Record<string, SVGElement | null>} */ ({}));
  if (!placed) return html`<p class="quiet">Places ${shown.nodes.length} operators.</p>`;
  const most = Math.max(...shown.edges.map((one) => one.flow ?? 0), 1e-9);
  const step = (name, event) => {
    const target = follow(shown, placed, name, event.key);
    if (event.key === "Enter" || event.key === " ") onPick(name);
    else if (target) refs.current[target]?.focus();
    else return;
    event.preventDefault();
  };
  return html`
    <div>
      ${nodes.length > shown.nodes.length && html`
        <p class="quiet">
          Shows ${shown.nodes.length} of ${nodes.length} operators: those around ${middle}.${" "}
          ${nodes.length > MOST_WHOLE ? "The table has all." : ""}
        </p>
      `}
      <div class="scroll" tabindex="0" role="group" aria-label="A part that can be scrolled">
        <svg class="graph" width=${placed.width} height=${placed.height}
          viewBox="0 0 ${placed.width} ${placed.height}" role="group"
          aria-label="Operators and the streams between them. Arrow keys follow the streams.">
          <defs>
            <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"
              markerUnits="userSpaceOnUse"><path d="M0 0L8 4L0 8z" /></marker>
          </defs>
          ${shown.edges.map((one) => html`<${Stream} edge=${one} placed=${placed} most=${most} />`)}
          ${shown.nodes.map((one) =>
            html`
              <${OperatorBox} node=${one} at=${placed.nodes[one.name]} isMiddle=${one.name === middle}
                keep=${(element) => (refs.current[one.name] = element)} onKey=${(event) => step(one.name, event)}
                onPick=${() => onPick(one.name)} />
            `
          )}
        </svg>
      </div>
    </div>
  `;
}

function Stream({ edge, placed, most }) {
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
  `;
}

/** The text in so many characters, none of which is cut in two. */
function cut(text, most) {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : text;
}

function OperatorBox({ node, at, isMiddle, keep, onKey, onPick }) {
  const busy = node.utilisation;
  const level = busy === null ? "unknown" : busy >= 1 ? "over" : busy >= 0.8 ? "hot" : busy >= 0.5 ? "warm" : "cool";
  const counts = change(node.running, node.recommended);
  const name = cut(node.name, Math.max(3, Math.floor((NODE_WIDTH - 26) / LETTER_WIDTH) - counts.length));
  const label = `${node.name}: ${percent(busy)} busy, ${rate(node.arrival_rate)}, ${counts} processors`;
  const kind = `box ${level} ${isMiddle ? "middle" : ""}`;
  const place = `translate(${at.x - NODE_WIDTH / 2} ${at.y - NODE_HEIGHT / 2})`;
  const countsKind = node.running === node.recommended ? "small" : "badge";
  return html`
    <g class=${kind} tabindex="0" role="button" aria-label=${label} ref=${keep} onKeyDown=${onKey}
      onClick=${onPick}
      transform=${place}>
      <rect width=${NODE_WIDTH} height=${NODE_HEIGHT} rx="6" />
      <rect class="fill" y=${NODE_HEIGHT - 5} height="5" width=${NODE_WIDTH * Math.min(busy ?? 0, 1)} />
      <text x="10" y="20">${name}</text>
      <text x="10" y="40" class="small">${percent(busy)} busy · ${rate(node.arrival_rate)}</text>
      <text x=${NODE_WIDTH - 10} y="20" text-anchor="end" class=${countsKind}>${counts}</text>
      <title>${label}</title>
    </g>
  `;
}

/** The place of each operator, from the worker; the last one asked for counts. */
function useLayout(key, shown) {
  const [placed, setPlaced] = useState(/** @type {Placed | null} */ (null));
  useEffect(() => {
    const worker = startWorker();
    worker.onmessage = ({ data }) => setPlaced({ key, ...data });
    const narrow = document.documentElement.clientWidth < 700;
    worker.postMessage({
      ask: key,
      narrow,
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      nodes: shown.nodes.map(({ name }) => ({ name })),
      edges: shown.edges,
    });
    return () => worker.terminate();
  }, [key]);
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

/** The operators nearest to the middle, by streams in either direction. */
function findNeighbourhood(nodes, edges, middle) {
  const near = new Set([middle ?? nodes[0].name]);
  let before = 0;
  while (near.size < MOST_NODES && near.size > before) {
    before = near.size;
    for (const { source, target } of edges) {
      if (near.size >= MOST_NODES) break;
      if (near.has(source)) near.add(target);
      else if (near.has(target)) near.add(source);
    }
  }
  return {
    nodes: nodes.filter((one) => near.has(one.name)),
    edges: edges.filter((one) => near.has(one.source) && near.has(one.target)),
  };
}

/** The operator that an arrow key leads to: along a stream, or beside it in the same layer. */
function follow(shown, placed, name, key) {
  const to = shown.edges.filter((one) => one.source === name && one.target !== name).map((one) => one.target);
  const from = shown.edges.filter((one) => one.target === name && one.source !== name).map((one) => one.source);
  if (key === "ArrowRight") return to[0];
  if (key === "ArrowLeft") return from[0];
  if (key !== "ArrowDown" && key !== "ArrowUp") return undefined;
  const here = placed.nodes[name];
  const beside = shown.nodes
    .map((one) => ({ name: one.name, ...placed.nodes[one.name] }))
    .filter((one) => Math.abs(one.x - here.x) < 2 && (key === "ArrowDown" ? one.y > here.y : one.y < here.y))
    .sort((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y));
  return beside[0]?.name ?? (key === "ArrowDown" ? to[0] : from[0]);
}
