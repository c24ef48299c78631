// Where nodes stand: columns by their distance from the start, ordered so that edges cross little. Pure functions.

const ROWS = 20; // most nodes in a column; a wider layer takes several
const ROW_HEIGHT = 34;
const COLUMN_WIDTH = 205;
const MARGIN = 28;
const LETTER_WIDTH = 7; // of a name left of the first column
const NAME_WIDTH = 190; // most room for one

/** Hops from the nearest seed, ignoring direction; what is not connected to one stands at 0. */
export function distances(nodes, edges, seeds) {
  const neighbours = new Map(nodes.map((node) => [node, []]));
  for (const [source, , target] of edges) {
    neighbours.get(source).push(target);
    neighbours.get(target).push(source);
  }
  const found = new Map();
  let front = seeds.filter((seed) => neighbours.has(seed));
  if (!front.length && nodes.length) front = [nodes[0]];
  for (const node of front) found.set(node, 0);
  for (let hop = 1; front.length; hop += 1) {
    const reached = [];
    for (const node of front)
      for (const other of neighbours.get(node))
        if (!found.has(other)) {
          found.set(other, hop);
          reached.push(other);
        }
    front = reached;
  }
  for (const node of nodes) if (!found.has(node)) found.set(node, 0);
  return { found, neighbours };
}

/** Positions by node, and the size of the picture: {places: Map(id -> {x, y, layer}), width, height}. */
export function layOut(nodes, edges, seeds, nameOf) {
  const { found, neighbours } = distances(nodes, edges, seeds);
  const layers = [];
  for (const node of nodes) (layers[found.get(node)] ||= []).push(node);
  const order = new Map();
  layers.forEach((layer, depth) => {
    const weight = (node) => mean(neighbours.get(node).filter((other) => found.get(other) < depth).map((other) => order.get(other)));
    const weights = new Map(layer.map((node) => [node, depth ? weight(node) : 0]));
    layer.sort((a, b) => weights.get(a) - weights.get(b) || nameOf(a).localeCompare(nameOf(b)) || (a < b ? -1 : 1));
    layer.forEach((node, place) => order.set(node, (place + 0.5) / layer.length));
  });
  const tallest = Math.min(ROWS, Math.max(1, ...layers.map((layer) => layer.length)));
  const height = tallest * ROW_HEIGHT + 2 * MARGIN;
  const places = new Map();
  const longest = Math.max(0, ...(layers[0] || []).map((node) => nameOf(node).length));
  const left = MARGIN + (layers.length > 1 ? Math.min(NAME_WIDTH, longest * LETTER_WIDTH) : 0);
  let column = 0;
  layers.forEach((layer, depth) => {
    const columns = Math.ceil(layer.length / ROWS);
    const rows = Math.ceil(layer.length / columns);
    layer.forEach((node, place) => {
      const [inColumn, row] = [place % columns, Math.floor(place / columns)];
      const x = left + (column + inColumn) * COLUMN_WIDTH;
      const y = height / 2 + (row - (rows - 1) / 2) * ROW_HEIGHT + (inColumn % 2) * (ROW_HEIGHT / 2);
      places.set(node, { x, y, layer: depth });
    });
    column += columns;
  });
  return { places, width: left + Math.max(1, column) * COLUMN_WIDTH, height };
}

function mean(numbers) {
  return numbers.length ? numbers.reduce((sum, number) => sum + number, 0) / numbers.length : 0.5;
}
