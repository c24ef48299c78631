// From an answer and its recorded run to frames: what is known after each step. Pure functions, no page.

const STOPPED = {
  BUDGET_EXHAUSTED: "its budget is spent",
  GAIN_NEGATIVE: "nothing left is worth its price",
  COMPLETE: "it has what it needs",
  NO_CANDIDATES: "there is nothing left to choose",
};
const RESOURCES = ["edges", "steps", "tokens"];
const SHOWN_NAMES = 3;

export const edgeKey = (edge) => edge.join("|");

/** Names of nodes by id, from wherever the result tells them. */
export function namesOf(result) {
  const names = new Map();
  const views = [result.subgraph, ...(result.paths || [])];
  for (const view of views) for (const node of view?.nodes || []) names.set(node.id, node.name || node.id);
  for (const seed of result.seeds || []) names.set(seed.id, seed.name || seed.id);
  for (const answer of result.answers || []) names.set(answer.node, answer.name || answer.node);
  return names;
}

/** Frames of a run: frame 0 is the start, frame i the state after step i. */
export function framesOf(result, run) {
  const names = namesOf(result);
  const name = (id) => names.get(id) || id;
  const seeds = (result.seeds || []).map((seed) => seed.id);
  const start = {
    agent: null,
    edges: new Map(),
    touched: new Set(),
    visited: new Set(seeds),
    here: new Set(seeds),
    picked: 0,
    pickedEdges: new Set(),
    spent: { edges: 0, steps: 0, tokens: 0 },
    text: seeds.length ? `Start at ${list(seeds.map(name))}.` : "Nothing to start from was found.",
  };
  const frames = [start];
  for (const step of run?.steps || []) frames.push(after(frames.at(-1), step, name));
  if (!run) frames.push(whole(start, result));
  return frames;
}

/** Every edge that some frame holds, by key. */
export function edgesOf(frames) {
  const edges = new Map();
  for (const frame of frames) for (const [key, { edge }] of frame.edges) edges.set(key, edge);
  return edges;
}

/** The state after one step. */
function after(before, step, name) {
  const frame = { ...before, agent: step.agent, touched: new Set(), text: told(step, name), spent: { ...before.spent } };
  for (const resource of RESOURCES) frame.spent[resource] += step[resource];
  const edges = (step.detail.edges || []).map((edge) => [edgeKey(edge), edge]);
  if (step.action === "ADD") frame.edges = new Map([...before.edges, ...edges.map(([key, edge]) => [key, { edge, step: step.index }])]);
  if (step.action === "DELETE") frame.edges = new Map([...before.edges].filter(([key]) => !edges.some(([gone]) => gone === key)));
  for (const [key] of edges) frame.touched.add(key);
  if (step.visited.length) {
    frame.here = new Set(step.visited);
    frame.visited = new Set([...before.visited, ...step.visited]);
    for (const [key, { edge }] of before.edges) if (crossed(edge, step, before.here, frame.here)) frame.touched.add(key);
  }
  if (step.action === "PICK") {
    frame.picked = before.picked + 1;
    frame.pickedEdges = new Set([...before.pickedEdges, step.detail.unit]);
    frame.touched.add(step.detail.unit);
  }
  return frame;
}

/** Whether the Navigator went over this edge. */
function crossed([source, relation, target], step, from, to) {
  if (relation !== step.detail.relation) return false;
  return step.detail.forward === false ? to.has(source) && from.has(target) : from.has(source) && to.has(target);
}

/** The end state of an answer whose run was not recorded. */
function whole(start, result) {
  const all = (result.subgraph?.edges || []).map((edge) => [edge.from, edge.relation, edge.to]);
  const edges = new Map(all.map((edge) => [edgeKey(edge), { edge, step: 1 }]));
  const visited = new Set((result.paths || []).flatMap((path) => path.nodes.map((node) => node.id)));
  return {
    ...start,
    edges,
    visited: new Set([...start.visited, ...visited]),
    here: new Set((result.answers || []).map((answer) => answer.node)),
    picked: (result.evidence || []).length,
    text: "This run was not recorded, so its steps are not known: this is its end.",
  };
}

function told(step, name) {
  const relation = step.detail.relation ? ` “${step.detail.relation}”${step.detail.forward === false ? " backwards" : ""}` : "";
  const count = (step.detail.edges || []).length;
  const ends = [...new Set((step.detail.edges || []).flatMap(([source, , target]) => [source, target]))].map(name);
  switch (step.action) {
    case "ADD":
      return `${step.agent} adds ${count} ${count === 1 ? "edge" : "edges"}${relation}: ${list(ends)}.`;
    case "DELETE":
      return `${step.agent} deletes ${count} ${count === 1 ? "edge" : "edges"}: ${list(ends)}.`;
    case "CONTINUE":
      return `${step.agent} walks${relation} to ${list(step.visited.map(name))}.`;
    case "BACKTRACK":
      return `${step.agent} goes one step back.`;
    case "PICK":
      return `${step.agent} picks ${unit(step.detail.unit, name)} for ${step.tokens} tokens.`;
    default: {
      const missed = step.left_out ? ` Best left out: ${step.left_out.what} (would cost ${step.left_out.would_cost}).` : "";
      return `${step.agent} stops: ${STOPPED[step.reason] || "it is done"}.${missed}`;
    }
  }
}

function unit(id, name) {
  const parts = id.split("|");
  return parts.length === 3 ? `“${name(parts[0])} ${parts[1]} ${name(parts[2])}”` : `“${name(id)}”`;
}

function list(items) {
  if (items.length <= SHOWN_NAMES + 1) return items.join(", ");
  return `${items.slice(0, SHOWN_NAMES).join(", ")} and ${items.length - SHOWN_NAMES} more`;
}
