// An answer to keep: its picture, its JSON, and its subgraph as Cypher. Pure functions but for `keep`.

/** Let the reader keep a file. */
export function keep(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}

/** A name for files of a question. */
export const fileName = (query, ending) =>
  `${
    query
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "answer"
  }.${ending}`;

const text = (value) => `'${String(value).replace(/\\/g, "\\\\").replace(/'/g, "\\'").replace(/\n/g, "\\n").replace(/\r/g, "\\r")}'`;
const name = (value) =>
  `\`${String(value)
    .replace(/\\u0060/gi, "`")
    .replace(/`/g, "``")}\``;

/** Statements that make the subgraph in any Neo4j; run twice they make it once. `edges`: [source, relation, target]. */
export function cypherOf(query, edges, nameOf) {
  const ids = [...new Set(edges.flatMap(([source, , target]) => [source, target]))];
  const places = new Map(ids.map((id, place) => [id, `n${place}`]));
  const nodes = ids.map((id) => `MERGE (${places.get(id)}:Entity {id: ${text(id)}}) SET ${places.get(id)}.name = ${text(nameOf(id))}`);
  const relationships = edges.map(
    ([source, relation, target]) => `MERGE (${places.get(source)})-[:${name(relation)}]->(${places.get(target)})`,
  );
  const lines = ids.length
    ? ["CYPHER 25", ...nodes, ...(relationships.length ? [`WITH ${[...places.values()].join(", ")}`, ...relationships] : [])]
    : [];
  return `// ${query.replace(/\s+/g, " ")}\n// ${ids.length} nodes, ${edges.length} relationships, from the clause explorer\n${lines.join("\n")}${lines.length ? ";" : ""}\n`;
}
