// The lists beside the question: what each holds and how a line of it looks.

import { scopes } from "./place.js";
import { at, get, post } from "./service.js";
import { day, facts, number, percent, some } from "./words.js";

const LIMIT = 25;
const page =
  (path, more = {}) =>
  ({ cursor }) =>
    get(path, { scope: scopes(), limit: LIMIT, cursor, ...more });
const found = (items, note) => ({ items, next_cursor: null, note });

const belief = (one, score) => ({
  id: one.id,
  title: one.content,
  meter: one.confidence.overall,
  dim: one.status !== "active",
  facts: [
    `confidence ${percent(one.confidence.overall)}`,
    one.status,
    one.stage,
    one.scope,
    one.open_tensions ? `⚡ ${one.open_tensions} in tension` : null,
    score === undefined ? null : `relevance ${percent(score)}`,
  ],
});
const tension = (one) => ({
  id: one.id,
  title: `${one.a.content} ⚡ ${one.b.content}`,
  facts: [one.severity, one.status, one.kind.replaceAll("_", " "), one.scope, day(one.recorded_at)],
});
const memory = (one, more = []) => ({
  id: one.memory_id,
  title: one.content,
  facts: [
    one.scope,
    `cluster ${one.cluster_id}`,
    one.speaker,
    `used ${day(one.last_access_at)}`,
    one.kept === undefined ? null : `faded to ${percent(one.kept)}`,
    ...more,
  ],
});
const recalled = (one) => memory(one, [`similarity ${percent(one.similarity)}`]);
const cluster = (one) => ({
  id: String(one.cluster_id),
  title: one.representative_content || `Cluster ${one.cluster_id}`,
  meter: one.cohesion,
  facts: [
    some(one.size, "memory", "memories"),
    one.consolidated ? "consolidated" : one.queued ? "waits for consolidation" : null,
    one.cohesion === null ? null : `cohesion ${percent(one.cohesion)}`,
    one.scope,
    `used ${day(one.last_access_at)}`,
  ],
});
const experience = (one) => ({
  id: one.id,
  title: one.goal,
  facts: [one.outcome ? one.outcome.status : "open", one.domain, one.strategy, one.scope, day(one.created_at)],
});
const insight = (one) => ({
  id: one.id,
  title: one.content,
  meter: one.confidence,
  facts: [one.category, one.topic_key, `strength ${one.strength.toFixed(2)}`, one.scope, day(one.created_at)],
});
const entity = ({ entity: one }) => ({
  id: one.id,
  title: one.name,
  facts: [one.kind, some(one.degree, "relationship"), some(one.beliefs, "belief"), one.scope, ...one.aliases.slice(0, 3)],
});
const job = (one) => ({
  id: one.id,
  title: one.kind,
  meter: one.total ? one.done / one.total : one.state === "succeeded" ? 1 : 0,
  dim: one.state === "cancelled",
  facts: [one.state, one.total ? `${one.done} of ${one.total}` : null, one.scope, day(one.created_at), one.message],
});

const decay = (scope) =>
  get("/api/memories/configuration", { scope }).then(
    (one) => one.used,
    () => null,
  );

/** Memories with the share of a score that decay has left them: factor ^ (time since they were used / unit). */
async function fading(items) {
  const wanted = [...new Set(items.map((one) => one.scope))];
  const known = new Map(await Promise.all(wanted.map(async (scope) => [scope, await decay(scope)])));
  return items.map((one) => {
    const of = known.get(one.scope);
    return of?.decay_factor
      ? { ...one, kept: of.decay_factor ** (Math.max(0, Date.now() - new Date(one.last_access_at)) / 1000 / of.decay_unit_seconds) }
      : one;
  });
}

/** Clusters, each with a text that says what it is about: its representative, else its first memory. */
async function clusters({ cursor }) {
  const { items, next_cursor: next } = await get("/api/clusters", { scope: scopes(), limit: LIMIT, cursor });
  const named = items.map(async (one) =>
    one.representative_content
      ? one
      : {
          ...one,
          representative_content: await get(`${at("/api/clusters", one.cluster_id)}/members`).then(
            (of) => of.member_contents[0],
            () => null,
          ),
        },
  );
  return { items: await Promise.all(named), next_cursor: next };
}

async function memoriesOf({ cursor }) {
  const { items, next_cursor: next } = await get("/api/memories", { scope: scopes(), limit: LIMIT, cursor });
  return { items: await fading(items), next_cursor: next };
}

const recall = async (query) =>
  found(
    await fading((await post("/api/memories/search", { query_text: query, k: LIMIT, scopes: scopes() })).results),
  );

async function statistics() {
  const [of, kept] = await Promise.all([get("/api/memories/stats", { scope: scopes() }), decay(scopes()?.[0])]);
  return facts([
    `${some(of.memories, "memory", "memories")} in ${some(of.clusters, "cluster")}`,
    `${number(of.compression)} a cluster`,
    of.cohesion === null ? null : `cohesion ${percent(of.cohesion)}`,
    `${of.consolidated} consolidated, ${of.queued} waiting`,
    `${percent(of.stale_share)} stale`,
    kept?.decay_factor ? `a score keeps ${kept.decay_factor} of itself each ${Math.round(kept.decay_unit_seconds / 36) / 100} h` : null,
  ]);
}

/** Clusters of experiences on an axis: those of the latest run of each scope, as many as a page of runs has. */
function clustersBy(axis) {
  let seen;
  return async ({ cursor }) => {
    const told = cursor ? seen : (seen = new Set());
    const { items, next_cursor: next } = await page("/api/value_clusters/runs", { axis })({ cursor });
    const latest = items.filter(({ scope }) => !told.has(scope) && told.add(scope));
    const lists = await Promise.all(latest.map(({ scope, id }) => get("/api/value_clusters", { axis, scope, run_id: id })));
    return { items: lists.flatMap((one) => one.items), next_cursor: next };
  };
}

/** Views by name: `lists` by the words of the picker; a list gives a page of items, `row` tells how one looks. */
export const VIEWS = {
  runs: {
    title: "Runs",
    about: "Questions that were asked, newest first. Opening one shows it as it was answered then.",
    lists: {
      all: {
        words: "All",
        load: ({ cursor }) => get("/api/clause/runs", { limit: LIMIT, cursor }),
        row: (one) => ({ at: { view: undefined, run: one.id }, title: one.query, facts: [one.scope, one.policy, day(one.recorded_at)] }),
      },
    },
  },
  beliefs: {
    title: "Beliefs",
    about: "What is held to be true, how sure that is, and what speaks against it.",
    find: {
      words: "Find beliefs",
      load: async (query) => {
        const { items, reason } = await post("/api/beliefs/query", { query, scopes: scopes(), limit: LIMIT, include_superseded: true });
        return found(items, reason);
      },
      row: (hit) => belief(hit.belief, hit.final_score),
    },
    lists: {
      active: { words: "Held", load: page("/api/beliefs", { status: "active" }), row: belief },
      disputed: { words: "Disputed", load: page("/api/beliefs", { status: "disputed" }), row: belief },
      superseded: { words: "Superseded", load: page("/api/beliefs", { status: "superseded" }), row: belief },
      retracted: { words: "Retracted", load: page("/api/beliefs", { status: "retracted" }), row: belief },
      archived: { words: "Put away", load: page("/api/beliefs", { status: "archived" }), row: belief },
      tensions: { words: "Tensions", load: page("/api/tensions", { status: "detected" }), row: tension, detail: "tension" },
      settled: { words: "Settled tensions", load: page("/api/tensions", { status: "resolved" }), row: tension, detail: "tension" },
      kept: { words: "Tensions kept as they are", load: page("/api/tensions", { status: "accepted" }), row: tension, detail: "tension" },
    },
  },
  memories: {
    title: "Memories",
    about: "What was said and seen, in clusters of what is alike; what is not used fades.",
    above: statistics,
    find: { words: "Recall memories", load: recall, row: recalled },
    lists: {
      clusters: { words: "Clusters", load: clusters, row: cluster, detail: "cluster" },
      memories: { words: "Memories", load: memoriesOf, row: memory },
    },
  },
  values: {
    title: "Values",
    about: "What was tried and how it came out, and the values that agents drew from it.",
    lists: {
      values: {
        words: "Values",
        load: page("/api/values"),
        row: (one) => ({
          id: one.id,
          title: one.text,
          facts: [one.axis, `${one.cluster_size} experiences`, one.scope, day(one.created_at)],
        }),
        detail: "value",
      },
      experiences: { words: "Experiences", load: page("/api/experiences"), row: experience, detail: "experience" },
      ...Object.fromEntries(
        ["full", "strategy", "surprise", "root_cause"].map((axis) => [
          axis,
          {
            words: `Clusters by ${axis.replace("_", " ")}`,
            detail: "experiences",
            load: clustersBy(axis),
            row: (one) => ({
              id: one.cluster_id,
              more: { scope: one.scope },
              title: one.cluster_id,
              facts: [`${one.size} experiences`, `mean weight ${one.avg_weight.toFixed(2)}`, one.scope],
            }),
          },
        ]),
      ),
    },
  },
  insights: {
    title: "Insights",
    about: "What was understood on a topic, where two of them conflict, and how much each topic matters now.",
    find: {
      words: "Find insights",
      load: async (query) => found((await post("/api/insights/search", { query, scopes: scopes(), limit: LIMIT })).items),
      row: (hit) => insight(hit.insight),
    },
    lists: {
      topics: {
        words: "Topics",
        load: page("/api/topics"),
        row: (one) => ({
          id: one.key,
          more: { scope: one.scope },
          title: one.key,
          meter: Math.min(1, one.current_salience),
          facts: [one.kind, `${one.insights} insights`, `salience ${one.current_salience.toFixed(2)}`, one.scope],
        }),
        detail: "topic",
      },
      conflicts: {
        words: "Conflicts",
        load: page("/api/insights/conflicts", { resolved: false }),
        row: (one) => ({
          id: one.id,
          title: one.topic_key,
          facts: [...one.signals, one.resolution || "open", one.scope, day(one.recorded_at)],
        }),
        detail: "conflict",
      },
    },
  },
  entities: {
    title: "Entities",
    about: "People, things and places that the graph knows.",
    find: {
      words: "Find entities",
      load: async (query) => {
        const { items, reason } = await post("/api/entities/search", { query, scopes: scopes(), limit: LIMIT });
        return found(items, reason);
      },
      row: entity,
    },
    lists: {
      pairs: {
        words: "Pairs that may be one",
        // where none were found, or nobody has looked, a name is the way in
        load: async () => found((await get("/api/entities/candidates", { scope: scopes(), limit: LIMIT })).items),
        row: (one) => ({
          id: one.a.id,
          more: { twin: one.b.id },
          title: `${one.a.name} ≟ ${one.b.name}`,
          meter: one.similarity,
          facts: [one.reason, one.a.scope],
        }),
      },
    },
  },
  jobs: {
    title: "Jobs",
    about: "Long work: what waits, what runs and how it ended.",
    lists: Object.fromEntries(
      [
        ["all", "All", undefined],
        ["running", "Running", "running"],
        ["queued", "Waiting", "queued"],
        ["failed", "Failed", "failed"],
      ].map(([name, words, state]) => [name, { words, load: ({ cursor }) => get("/api/jobs", { limit: LIMIT, cursor, state }), row: job }]),
    ),
  },
};
