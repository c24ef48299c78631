// One thing, told whole, with what can be changed about it. Each function gives the nodes to show.

import { beliefs, tension } from "./beliefs.js";
import { edit, forget } from "./edits.js";
import { link, make, scopes } from "./place.js";
import { at, get, post, write } from "./service.js";
import { entities, jobs } from "./things.js";
import { button, buttons, day, entries, facts, heading, number, percent, section, some, table, to } from "./words.js";

async function memories(id) {
  const one = await get(at("/api/memories", id));
  return [
    heading(one.content),
    facts([one.scope, one.speaker, one.is_representative ? "stands for its cluster" : null]),
    buttons(forget("memory", { memory_id: id }, "memories")),
    table([
      ["Cluster", to("memories", one.cluster_id, one.cluster_id, { detail: "cluster" })],
      ["Recorded", day(one.recorded_at)],
      ["Said", one.timestamp],
      ["Used", `${one.access_count} times, last ${day(one.last_access_at)}`],
      ...Object.entries(one.metadata).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
      ["Id", one.memory_id],
    ]),
  ];
}

async function cluster(id) {
  const one = await get(`${at("/api/clusters", id)}/members`);
  return [
    heading(`Cluster ${id}`),
    facts([
      some(one.member_contents.length, "memory", "memories"),
      one.is_consolidated ? "consolidated" : "open",
      `used ${one.access_count} times`,
      `last ${day(one.last_access_time * 1000)}`,
    ]),
    section(
      "Its memories",
      entries(one.member_contents.slice(0, 200).map((text, place) => to("memories", one.member_ids[place], text, { show: "memories" }))),
    ),
  ];
}

async function value(id) {
  const one = await get(at("/api/values", id));
  const cause = one.cluster_id ? to("values", one.cluster_id, one.cluster_id, { detail: "experiences", scope: one.scope }) : null;
  return [
    heading(one.text),
    facts([one.axis, one.scope, day(one.created_at)]),
    table([
      ["From", `${one.cluster_size} experiences`],
      ["Cluster", cause],
      ["Id", one.id],
    ]),
  ];
}

async function experience(id) {
  const one = await get(at("/api/experiences", id));
  return [
    heading(one.goal),
    facts([one.outcome?.status || "open", one.domain, one.strategy, one.confidence_tier, one.scope]),
    table([
      ["Hypothesis", one.hypothesis],
      ["Action", one.action],
      ["Prediction", one.prediction],
      ["Result", one.outcome?.result],
      ["Surprise", one.surprise],
      ["Root cause", one.root_cause && `${one.root_cause.category}: ${one.root_cause.description}`],
      ["What worked", one.lesson?.what_worked],
      ["Takeaway", one.lesson?.takeaway],
      ["Began", day(one.created_at)],
      ["Ended", one.resolved_at && day(one.resolved_at)],
      ["Run", one.run_id && link({ run: one.run_id }, "the answer that it acted on")],
    ]),
    one.history.length
      ? section(
          "How it changed",
          entries(
            one.history.map(
              (step) => `${day(step.timestamp)}: ${[step.hypothesis, step.action, step.prediction, step.note].filter(Boolean).join("; ")}`,
            ),
          ),
        )
      : null,
  ];
}

async function experiences(id, { given }) {
  const { items } = await get(`${at("/api/value_clusters", id)}/members`, { scope: given.scope || scopes()?.[0], limit: 50 });
  return [
    heading(`Experiences of ${id}`),
    entries(items.map(({ id: own, payload }) => link({ ...given, id: own, detail: "experience" }, payload.goal || own))),
  ];
}

async function insights(id) {
  const one = await get(at("/api/insights", id));
  const felt = Object.entries(one.valences).filter(([, share]) => share !== null);
  return [
    heading(one.content),
    facts([one.category, one.topic_key, one.scope, day(one.created_at)]),
    table([
      ["Strength", number(one.strength)],
      ["Confidence", percent(one.confidence)],
      ["Importance", percent(one.importance)],
      ["Novelty", percent(one.novelty)],
      ["Feelings", felt.map(([name, share]) => `${name} ${percent(share)}`).join(", ")],
      ["Open questions", one.open_questions.join("; ")],
      ["Supersedes", one.supersedes && to("insights", one.supersedes, one.supersedes, { detail: "insights" })],
      ["Id", one.id],
    ]),
    one.conflicts_with.length
      ? section("In conflict with", entries(one.conflicts_with.map((other) => to("insights", other, other, { detail: "insights" }))))
      : null,
  ];
}

async function topic(key, { given }) {
  const where = given.scope ? [given.scope] : scopes();
  const [one, { items }] = await Promise.all([
    get(at("/api/topics", key), { scope: where?.[0] }),
    post("/api/insights/retrieve_raw", { topic_key: key, limit: 50, scopes: where }),
  ]);
  const own = items.filter((part) => part.scope === one.scope);
  return [
    heading(one.key),
    facts([
      one.kind,
      `salience ${number(one.current_salience)} of ${number(one.salience)}`,
      `active ${day(one.last_activity_at)}`,
      one.scope,
    ]),
    section(
      "Insights",
      own.length
        ? entries(own.map((part) => to("insights", part.id, part.content, { detail: "insights" })))
        : make("p", { class: "quiet" }, "None is shown by the default profile."),
    ),
  ];
}

async function conflict(id, { again }) {
  const one = await get(at("/api/insights/conflicts", id));
  const hidden = (id) => ({ id, insight_id: id, content: "(in quarantine)" });
  const sides = await Promise.all(
    [one.insight_id, one.other_id].map((side) =>
      get(at("/api/insights", side)).catch((problem) => {
        if (problem.status !== 404) throw problem;
        return hidden(side);
      }),
    ),
  );
  const settle = () =>
    edit({
      title: "Settle the conflict",
      button: "Settle it",
      fields: [
        {
          name: "resolution",
          label: "How",
          options: [
            ["context_dependent", "each holds in its context"],
            ["paradox_kept", "both are kept as a paradox"],
            ["superseded:0", "the first takes the other's place"],
            ["superseded:1", "the second takes the other's place"],
          ],
          value: "context_dependent",
        },
        { name: "reason", label: "Why" },
      ],
      apply: ({ resolution, reason }) => {
        const [how, side] = resolution.split(":");
        return write(
          `${at("/api/insights/conflicts", id)}/resolve`,
          { resolution: how, reason: reason || null, ...(side ? { superseding_id: sides[Number(side)].id } : {}) },
          { version: one.version },
        );
      },
      done: again,
    });
  return [
    heading(`A conflict on ${one.topic_key}`),
    facts([...one.signals, `similarity ${percent(one.similarity)}`, one.resolution || "open", day(one.recorded_at)]),
    entries(sides.map((side) => to("insights", side.id, side.content, { detail: "insights" }))),
    one.resolution ? null : buttons(button("Settle …", settle)),
  ];
}

/** What is told of one thing, by its kind. */
export const details = {
  beliefs,
  tension,
  memories,
  cluster,
  values: value,
  value,
  experience,
  experiences,
  insights,
  topic,
  conflict,
  entities,
  jobs,
};
