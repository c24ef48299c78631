// The subgraph, drawn by Cytoscape.js and shown as it was after each step. One stop of the tab key, arrows between nodes.

import { COLOURS, colours, styleOf } from "./colours.js";
import cytoscape from "./vendor/cytoscape.js";

const FEW = 45; // so many nodes stand in columns, more in rings
const FACTOR = 1.3;
const SHOWN_EDGES = 5;

export class Picture {
  /**
   * @param holder where the picture goes
   * @param graph {edges: Map(key -> [source, relation, target]), seeds: [id], answers: Set(id), nameOf: id -> name}
   * @param told called with words about a node and its id, when it is pointed at or chosen
   */
  constructor(holder, { edges, seeds, answers, nameOf }, told) {
    this.holder = holder;
    this.nameOf = nameOf;
    this.told = told;
    this.answers = answers;
    this.seeds = new Set(seeds);
    this.relations = [...new Set([...edges.values()].map(([, relation]) => relation))].sort();
    const ends = new Set([...edges.values()].flatMap(([source, , target]) => [source, target]));
    const nodes = [...new Set([...seeds.filter((seed) => ends.has(seed) || !edges.size), ...ends])];
    this.cy = cytoscape({
      container: holder,
      elements: [...nodes.map((id) => this.node(id)), ...[...edges].map(([key, edge]) => this.edge(key, edge))],
      style: styleOf(this.relations),
      layout: { name: "preset" },
      minZoom: 0.1,
      maxZoom: 3,
      userZoomingEnabled: matchMedia("(pointer: coarse)").matches, // with a mouse the wheel scrolls the page; ctrl and wheel zoom
      boxSelectionEnabled: false,
      autoungrabify: false,
    });
    this.here = null;
    this.off = new Set(); // types that are hidden
    this.cy.on("mouseover tap", "node", (event) => this.point(event.target.id()));
    this.cy.on("mouseout", "node", () => this.here || this.unpoint());
    holder.setAttribute("aria-label", `Subgraph of ${nodes.length} nodes and ${edges.size} edges; arrow keys go from node to node`);
    this.place("");
    this.watched = new AbortController();
    const signal = this.watched.signal;
    holder.addEventListener("keydown", (event) => this.move(event), { signal });
    holder.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
    holder.addEventListener("focus", () => this.here || this.point(this.first()), { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.cy.style(styleOf(this.relations)), { signal });
  }

  close() {
    this.watched.abort();
    this.cy.destroy();
  }

  node(id, more = "") {
    const classes = [more, this.seeds.has(id) && "seed", this.answers.has(id) && "answer"].filter(Boolean).join(" ");
    return { group: "nodes", data: { id, name: this.nameOf(id) }, classes };
  }

  edge(key, [source, relation, target], more = "") {
    const data = { id: key, source, target, relation, kind: this.relations.indexOf(relation) };
    return { group: "edges", data, classes: more };
  }

  colour(relation) {
    return `relation-${this.relations.indexOf(relation) % COLOURS}`;
  }

  first() {
    return (this.cy.nodes(".seed")[0] || this.cy.nodes()[0])?.id();
  }

  /** Lay out: in columns by their distance from the start, in rings around it, or by springs; "" is what suits the size. */
  place(way) {
    const nodes = this.cy.nodes();
    const chosen = way || (nodes.length > FEW ? "rings" : "columns");
    const roots = this.cy.nodes(".seed");
    const depth = new Map();
    const start = roots.length ? roots : nodes.slice(0, 1);
    this.cy.elements().bfs({ roots: start, directed: false, visit: (node, _edge, _before, _place, far) => void depth.set(node.id(), far) });
    const deepest = Math.max(0, ...depth.values());
    const layouts = {
      columns: {
        name: "breadthfirst",
        roots: start,
        directed: false,
        avoidOverlap: true,
        spacingFactor: 1,
        boundingBox: { x1: 0, y1: 0, w: this.tallest(depth) * 38, h: Math.max(1, deepest) * this.column(deepest) },
        transform: (_node, { x, y }) => ({ x: y, y: x }),
      },
      rings: {
        name: "concentric",
        concentric: (node) => deepest + 1 - (depth.get(node.id()) ?? deepest),
        levelWidth: () => 1,
        minNodeSpacing: 46,
        avoidOverlap: true,
      },
      springs: { name: "cose", animate: false, randomize: false, nodeRepulsion: () => 90000, idealEdgeLength: () => 110, padding: 20 },
    };
    this.cy.layout({ ...layouts[chosen], fit: false, animate: false }).run();
    nodes.forEach((node) => void node.toggleClass("left", chosen === "columns" && deepest > 0 && depth.get(node.id()) === 0));
    const wordy = this.cy.edges().length <= 16;
    this.cy.edges().forEach((edge) => void (wordy ? edge.data("word", edge.data("relation")) : edge.removeData("word")));
    this.fit();
  }

  /** The way from column to column: what fits beside the names of the first and the last one. */
  column(deepest) {
    return Math.max(200, Math.min(300, (this.cy.width() - 300) / Math.max(1, deepest)));
  }

  tallest(depth) {
    const counts = new Map();
    for (const far of depth.values()) counts.set(far, (counts.get(far) || 0) + 1);
    return Math.max(3, ...counts.values());
  }

  fit() {
    this.cy.resize();
    this.cy.fit(this.cy.elements(":visible"), 24);
    if (this.cy.zoom() > 1.25) {
      this.cy.zoom(1.25);
      this.cy.center(this.cy.elements(":visible"));
    }
  }

  zoom(closer) {
    const middle = { x: this.cy.width() / 2, y: this.cy.height() / 2 };
    this.cy.zoom({ level: this.cy.zoom() * (closer ? FACTOR : 1 / FACTOR), renderedPosition: middle });
  }

  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.zoom(event.deltaY < 0);
  }

  words(id) {
    const kinds = [this.seeds.has(id) && "start", this.answers.has(id) && "answer"].filter(Boolean).join(" and ");
    const edges = this.cy
      .getElementById(id)
      .connectedEdges()
      .map((edge) => edge.data());
    const some = edges
      .slice(0, SHOWN_EDGES)
      .map(({ source, relation, target }) =>
        source === id ? `${relation} → ${this.nameOf(target)}` : `${this.nameOf(source)} → ${relation}`,
      );
    const more = edges.length > some.length ? `; and ${edges.length - some.length} more` : "";
    return `${this.nameOf(id)}${kinds ? ` (${kinds})` : ""}: ${some.join("; ") || "no edge"}${more}`;
  }

  unpoint() {
    this.cy.elements(".pointed").removeClass("pointed");
  }

  point(id) {
    if (!id) return;
    this.unpoint();
    this.here = id;
    const node = this.cy.getElementById(id);
    node.addClass("pointed");
    node.connectedEdges().addClass("pointed");
    this.told(this.words(id), id);
  }

  /** Arrow keys go to the nearest node in their direction; Home and End to the first and last; + and - zoom. */
  move(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    const nodes = this.cy.nodes(":visible");
    if (event.key === "+" || event.key === "-") this.zoom(event.key === "+");
    else if (event.key === "Home" || event.key === "End") this.point((event.key === "Home" ? nodes[0] : nodes[nodes.length - 1])?.id());
    else if (way) this.point(this.nearest(nodes, way));
    else return;
    event.preventDefault();
  }

  nearest(nodes, way) {
    const from = this.cy.getElementById(this.here || this.first()).position();
    let best = { id: this.here, far: Infinity };
    nodes.forEach((node) => {
      const [dx, dy] = [node.position("x") - from.x, node.position("y") - from.y];
      const along = dx * way[0] + dy * way[1];
      const far = along + 2 * Math.abs(dx * way[1]) + 2 * Math.abs(dy * way[0]);
      if (along > 1 && far < best.far) best = { id: node.id(), far };
    });
    return best.id;
  }

  /** Show the picture as it was after a step; what was added by hand stays. */
  show(frame) {
    const there = new Set([...frame.edges.values()].flatMap(({ edge }) => [edge[0], edge[2]]));
    this.cy.batch(() => {
      this.cy.edges().forEach((edge) => {
        const [id, grown] = [edge.id(), edge.hasClass("grown")];
        edge.toggleClass("there", grown || frame.edges.has(id));
        edge.toggleClass("touched", frame.touched.has(id));
        edge.toggleClass("picked", frame.pickedEdges.has(id));
      });
      this.cy.nodes().forEach((node) => {
        const id = node.id();
        node.toggleClass("there", node.hasClass("grown") || there.has(id) || this.seeds.has(id));
        node.toggleClass("visited", frame.visited.has(id));
        node.toggleClass("here", frame.here.has(id));
      });
    });
  }

  /** Add what the graph holds besides: `edges` as [source, relation, target], names known to `nameOf`. How many were new. */
  grow(edges) {
    const fresh = edges.filter((edge) => this.cy.getElementById(edge.join("|")).empty());
    this.relations.push(
      ...[...new Set(fresh.map(([, relation]) => relation))].filter((relation) => !this.relations.includes(relation)).sort(),
    );
    const ends = [...new Set(fresh.flatMap(([source, , target]) => [source, target]))].filter((id) => this.cy.getElementById(id).empty());
    this.cy.add([
      ...ends.map((id) => this.node(id, "there grown")),
      ...fresh.map((edge) => this.edge(edge.join("|"), edge, "there grown")),
    ]);
    this.cy.style(styleOf(this.relations));
    if (fresh.length) this.place("springs");
    return fresh.length;
  }

  /** Hide or show the relationships of a type, and the nodes that nothing else connects. */
  filter(relation, shown) {
    if (shown) this.off.delete(relation);
    else this.off.add(relation);
    const hidden = (edge) => this.off.has(edge.data("relation"));
    this.cy.nodes().forEach((node) => {
      const edges = node.connectedEdges();
      node.toggleClass("off", edges.length > 0 && edges.every(hidden) && !this.seeds.has(node.id()));
    });
    this.cy.edges().forEach((edge) => void edge.toggleClass("off", hidden(edge)));
  }

  png() {
    return this.cy.png({ output: "blob", full: true, scale: 2, bg: colours()("ground") });
  }
}
