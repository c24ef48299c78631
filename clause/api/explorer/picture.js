// The subgraph as SVG: drawn once, then shown as it was after each step. One stop of the tab key, arrows between nodes.

import { layOut } from "./layout.js";

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 8; // classes relation-0 .. relation-7 in the style sheet
const RADIUS = 7;
const LABEL_LENGTH = 26;
const FEW = 14; // so many edges carry their own words

function make(kind, attributes = {}, text = null) {
  const element = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== null) element.textContent = text;
  return element;
}

export class Picture {
  /**
   * @param holder where the picture goes
   * @param graph {edges: Map(key -> [source, relation, target]), seeds: [id], answers: Set(id), nameOf: id -> name}
   * @param told called with words about a node that is pointed at or focused
   */
  constructor(holder, { edges, seeds, answers, nameOf }, told) {
    this.edges = edges;
    this.nameOf = nameOf;
    this.told = told;
    this.answers = answers;
    this.seeds = new Set(seeds);
    const nodes = [...new Set([...seeds, ...[...edges.values()].flatMap(([source, , target]) => [source, target])])];
    const connected = nodes.filter((node) => !this.seeds.has(node) || nodes.length === 1 || this.degree(node) > 0);
    this.nodes = connected.length ? connected : nodes;
    this.relations = [...new Set([...edges.values()].map(([, relation]) => relation))].sort();
    const { places, width, height } = layOut(this.nodes, [...edges.values()], seeds, nameOf);
    this.places = places;
    this.deepest = Math.max(...[...places.values()].map((place) => place.layer));
    this.svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group" });
    this.svg.setAttribute("aria-label", `Subgraph of ${this.nodes.length} nodes and ${edges.size} edges`);
    this.drawnEdges = new Map();
    this.drawnNodes = new Map();
    this.drawEdges();
    this.drawNodes();
    this.svg.addEventListener("keydown", (event) => this.move(event));
    holder.replaceChildren(this.svg);
  }

  degree(node) {
    return [...this.edges.values()].filter(([source, , target]) => source === node || target === node).length;
  }

  colour(relation) {
    return `relation-${this.relations.indexOf(relation) % COLOURS}`;
  }

  drawEdges() {
    const lines = make("g", { "aria-hidden": "true" });
    const words = make("g", { "aria-hidden": "true" });
    const labelled = new Map();
    for (const [key, [source, relation, target]] of this.edges) {
      const line = make("path", { d: this.curve(source, target), class: `edge ${this.colour(relation)}` });
      const arrow = make("path", { d: this.arrow(source, target), class: `arrow ${this.colour(relation)}` });
      line.append(make("title", {}, `${this.nameOf(source)} ${relation} ${this.nameOf(target)}`));
      lines.append(line, arrow);
      this.drawnEdges.set(key, [line, arrow]);
      const bundle = this.edges.size <= FEW && this.relations.length > 1 ? key : this.bundle(source, relation, target);
      labelled.set(bundle, [...(labelled.get(bundle) || []), key]);
    }
    for (const keys of labelled.values()) {
      const key = keys[Math.floor(keys.length / 2)];
      const [source, relation, target] = this.edges.get(key);
      const { x, y } = this.middle(source, target);
      const word = make("text", { x, y: y - 5, class: `relation ${this.colour(relation)}` }, relation);
      words.append(word);
      this.drawnEdges.get(key).push(word);
    }
    this.svg.append(lines, words);
  }

  bundle(source, relation, target) {
    return `${relation} ${this.places.get(source).layer} ${this.places.get(target).layer}`;
  }

  drawNodes() {
    for (const node of this.nodes) {
      const { x, y } = this.places.get(node);
      const group = make("g", { transform: `translate(${x} ${y})`, class: "node", tabindex: "-1", role: "img" });
      group.classList.toggle("seed", this.seeds.has(node));
      group.classList.toggle("answer", this.answers.has(node));
      const name = this.nameOf(node);
      const short = name.length > LABEL_LENGTH ? `${name.slice(0, LABEL_LENGTH - 1)}…` : name;
      group.append(make("title", {}, name));
      group.append(make("circle", { r: RADIUS + 5, class: "halo" }), make("circle", { r: RADIUS, class: "disc" }));
      group.append(make("text", this.beside(node), short));
      group.setAttribute("aria-label", this.words(node));
      group.addEventListener("mouseenter", () => this.point(node));
      group.addEventListener("mouseleave", () => this.point(null));
      group.addEventListener("focus", () => this.point(node));
      group.addEventListener("blur", () => this.point(null));
      group.addEventListener("click", () => this.focus(node));
      this.drawnNodes.set(node, group);
      this.svg.append(group);
    }
    this.drawnNodes.get(this.nodes[0])?.setAttribute("tabindex", "0");
  }

  /** Names stand where edges do not: left of the first column, right of the last, above in between. */
  beside(node) {
    const { layer } = this.places.get(node);
    if (layer === this.deepest) return { x: RADIUS + 7, y: 4, class: "name" };
    if (layer === 0) return { x: -RADIUS - 7, y: 4, class: "name", "text-anchor": "end" };
    return { x: 0, y: -RADIUS - 7, class: "name", "text-anchor": "middle" };
  }

  words(node) {
    const kinds = [this.seeds.has(node) && "start", this.answers.has(node) && "answer"].filter(Boolean).join(" and ");
    const edges = [...this.edges.values()].filter(([source, , target]) => source === node || target === node);
    const some = edges.slice(0, 5).map(([source, relation, target]) =>
      source === node ? `${relation} → ${this.nameOf(target)}` : `${this.nameOf(source)} → ${relation}`);
    const more = edges.length > some.length ? `; and ${edges.length - some.length} more` : "";
    return `${this.nameOf(node)}${kinds ? ` (${kinds})` : ""}: ${some.join("; ") || "no edge"}${more}`;
  }

  point(node) {
    for (const [key, parts] of this.drawnEdges) {
      const [source, , target] = this.edges.get(key);
      for (const part of parts) part.classList.toggle("pointed", node !== null && (source === node || target === node));
    }
    if (node !== null) this.told(this.words(node));
  }

  focus(node) {
    for (const [other, group] of this.drawnNodes) group.setAttribute("tabindex", other === node ? "0" : "-1");
    this.drawnNodes.get(node)?.focus({ preventScroll: false });
  }

  /** Arrow keys go to the nearest node in their direction; Home and End to the first and last. */
  move(event) {
    const here = [...this.drawnNodes].find(([, group]) => group === document.activeElement)?.[0];
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (!here) return;
    if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      this.focus(event.key === "Home" ? this.nodes[0] : this.nodes.at(-1));
      return;
    }
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    const from = this.places.get(here);
    let best = null;
    for (const node of this.nodes) {
      const place = this.places.get(node);
      const [dx, dy] = [place.x - from.x, place.y - from.y];
      const along = dx * way[0] + dy * way[1];
      const across = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      if (along > 1 && (best === null || along + 2 * across < best.far)) best = { node, far: along + 2 * across };
    }
    if (best) this.focus(best.node);
  }

  /** Show the picture as it was after a step. */
  show(frame) {
    for (const [key, parts] of this.drawnEdges)
      for (const part of parts) {
        part.classList.toggle("there", frame.edges.has(key));
        part.classList.toggle("touched", frame.touched.has(key));
        part.classList.toggle("picked", frame.pickedEdges.has(key));
      }
    const there = new Set([...frame.edges.values()].flatMap(({ edge }) => [edge[0], edge[2]]));
    for (const [node, group] of this.drawnNodes) {
      group.classList.toggle("there", there.has(node) || this.seeds.has(node));
      group.classList.toggle("visited", frame.visited.has(node));
      group.classList.toggle("here", frame.here.has(node));
    }
  }

  curve(source, target) {
    const [from, to] = [this.places.get(source), this.places.get(target)];
    if (source === target) return `M${from.x} ${from.y - RADIUS} c-18 -26 18 -26 0 0`;
    if (from.x === to.x) {
      const bend = from.x - 24 - Math.abs(to.y - from.y) / 5;
      return `M${from.x} ${from.y} C${bend} ${from.y} ${bend} ${to.y} ${to.x} ${to.y}`;
    }
    const half = (from.x + to.x) / 2;
    return `M${from.x} ${from.y} C${half} ${from.y} ${half} ${to.y} ${to.x} ${to.y}`;
  }

  middle(source, target) {
    const [from, to] = [this.places.get(source), this.places.get(target)];
    if (from.x === to.x) return { x: from.x - 24 - Math.abs(to.y - from.y) / 5, y: (from.y + to.y) / 2 };
    return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  }

  /** A small head just outside the target's disc. */
  arrow(source, target) {
    const [from, to] = [this.places.get(source), this.places.get(target)];
    const way = from.x === to.x ? -1 : Math.sign(from.x - to.x);
    const x = to.x + way * (RADIUS + 2);
    return source === target ? "" : `M${x} ${to.y} l${way * 8} -4 v8 z`;
  }
}
