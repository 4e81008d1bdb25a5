// Which operators stand near another one, and where an arrow key leads.

/**
 * @typedef {import("./graph.js").Node} Node
 * @typedef {import("./graph.js").Edge} Edge
 * @typedef {import("./graph.js").Placed} Placed
 */

/**
 * The operators nearest to the middle, by the number of streams between them in either direction.
 * @param {Node[]} nodes @param {Edge[]} edges @param {string | null} middle @param {number} most
 */
export function findNeighbourhood(nodes, edges, middle, most) {
  const beside = new Map(nodes.map((one) => [one.name, /** @type {string[]} */ ([])]));
  for (const { source, target } of edges) {
    beside.get(source)?.push(target);
    beside.get(target)?.push(source);
  }
  const near = new Set([middle ?? nodes[0].name]);
  for (const name of near) { // A set gives what is added on the way, too: the nearest first.
    for (const next of beside.get(name) ?? []) if (near.size < most) near.add(next);
  }
  return {
    nodes: nodes.filter((one) => near.has(one.name)),
    edges: edges.filter((one) => near.has(one.source) && near.has(one.target)),
  };
}

/**
 * The operator that an arrow key leads to: along a stream, or beside it in the same layer.
 * @param {{nodes: Node[], edges: Edge[]}} shown @param {Placed} placed @param {string} name @param {string} key
 */
export function followStream(shown, placed, name, key) {
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
