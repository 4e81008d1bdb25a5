// What layout.js takes of static/vendor/dagre.js.

interface Point {
  x: number;
  y: number;
}

export class Graph {
  constructor(options: { multigraph: boolean });
  setGraph(label: { rankdir: "TB" | "LR"; nodesep: number; ranksep: number; marginx: number; marginy: number }): void;
  graph(): { width: number; height: number };
  setDefaultEdgeLabel(make: () => object): void;
  setNode(name: string, label: { width: number; height: number }): void;
  node(name: string): Point;
  setEdge(source: string, target: string, label: object, name: string): void;
  edges(): { v: string; w: string; name?: string }[];
  edge(edge: { v: string; w: string; name?: string }): { points: Point[] };
}

export function layout(graph: Graph): void;
