// Places the operators of a topology in layers, in a worker, so that the page stays quick.
// @ts-types="../types/dagre.d.ts"
import { Graph, layout } from "./vendor/dagre.js";

self.onmessage = ({ data }) => {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: data.narrow ? "TB" : "LR", nodesep: 26, ranksep: 60, marginx: 8, marginy: 20 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of data.nodes) graph.setNode(node.name, { width: data.width, height: data.height });
  for (const edge of data.edges) {
    if (edge.source !== edge.target) graph.setEdge(edge.source, edge.target, {}, edge.source + edge.target);
  }
  layout(graph);
  const { width, height } = graph.graph();
  self.postMessage({
    ask: data.ask,
    width,
    height,
    nodes: Object.fromEntries(data.nodes.map(({ name }) => [name, { x: graph.node(name).x, y: graph.node(name).y }])),
    edges: Object.fromEntries(graph.edges().map((edge) => [JSON.stringify([edge.v, edge.w]), graph.edge(edge).points])),
  });
};
