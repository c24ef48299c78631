// One thing, told whole, with what can be changed about it. Each function gives the nodes to show.

import { edit } from "./edits.js";
import { go, link, make, scopes } from "./place.js";
import { at, get, post, write } from "./service.js";
import { bar, button, day, entries, facts, heading, number, percent, section, table } from "./words.js";

const WAITING = ["queued", "running"];
const REFRESH_MS = 1500;
const to = (view, id, words, more = {}) => link({ view, id, ...more }, words);
const buttons = (...some) => make("p", { class: "buttons" }, ...some);
const counts = (given) => facts(Object.entries(given).map(([name, count]) => `${count} ${name}`));

/** Forget one thing for good, once the reader has seen what would go. */
function forget(what, body, view) {
  return button("Forget …", () => edit({
    title: `Forget this ${what} for good`, say: "It is erased with every trace of it. This cannot be undone.", button: "Forget it",
    preview: async () => {
      const plan = await post("/api/erasures/preview", body);
      return [make("p", {}, "Would be erased: ", counts(plan.counts)), plan.kept.length ? entries([`Kept: ${plan.kept.join("; ")}`]) : ""];
    },
    apply: () => write("/api/erasures", body), done: () => go({ view }),
  }), "danger");
}

// ---------------------------------------------------------------------------------------------------- beliefs

function dimensions(explained) {
  return make("table", {}, make("thead", {}, make("tr", {}, ...["", "Value", "Weight", "How"].map((one) => make("th", { scope: "col" }, one)))),
    make("tbody", {}, ...explained.dimensions.map((one) => make("tr", {}, make("th", { scope: "row" }, one.name.replaceAll("_", " ")),
      make("td", {}, ...(one.value === null ? ["–"] : [bar(one.value), ` ${percent(one.value)}`])),
      make("td", {}, percent(one.share)), make("td", { class: "quiet" }, one.how)))));
}

/** Versions on two clocks: when each was known here (above), and when it was true (below). */
function clocks(versions) {
  const now = Date.now();
  const instant = (text) => (text ? new Date(text).getTime() : null);
  const known = versions.map((one) => [instant(one.recorded_at), instant(one.superseded_at || one.retracted_at || one.archived_at)]);
  const valid = versions.map((one) => [instant(one.valid_from), instant(one.valid_until)]);
  const marks = [...known, ...valid].flat().filter((one) => one !== null);
  const [low, high] = [Math.min(...marks), Math.max(now, ...marks)];
  const span = Math.max(1, high - low);
  const strip = ([from, until], kind, words) => {
    const begin = from ?? low;
    const end = until ?? high;
    const piece = make("span", { class: `strip ${kind}`, title: words });
    piece.style.left = `${(100 * (begin - low)) / span}%`;
    piece.style.width = `${Math.max(1.5, (100 * (end - begin)) / span)}%`;
    return make("span", { class: "track" }, piece);
  };
  return make("ol", { class: "clocks" }, ...versions.map((one, place) => {
    const [here, world] = [`known ${day(one.recorded_at)} to ${known[place][1] ? day(known[place][1]) : "now"}`,
      `true ${one.valid_from ? `from ${day(one.valid_from)}` : "since ever"} ${one.valid_until ? `to ${day(one.valid_until)}` : "until now"}`];
    return make("li", {}, to("beliefs", one.id, one.content), facts([one.status, one.reason]), strip(known[place], "known", here), make("span", { class: "quiet" }, here),
      strip(valid[place], "valid", world), make("span", { class: "quiet" }, world));
  }));
}

async function versionsOf(one) {
  const others = [...one.superseded_by, ...one.supersedes].slice(0, 12);
  const whole = await Promise.all(others.map((other) => get(at("/api/beliefs", other.id)).then((full) => ({ ...full, reason: other.reason }), () => other)));
  return [...whole, one].sort((a, b) => (a.recorded_at < b.recorded_at ? 1 : -1));
}

async function beliefs(id, { given, again }) {
  const one = await get(at("/api/beliefs", id), { as_of_recorded: given.then });
  const [explained, versions] = await Promise.all([given.then ? null : get(`${at("/api/beliefs", id)}/confidence`).catch(() => null), versionsOf(one)]);
  const supersede = () => edit({
    title: "Put a new belief in its place", say: `Now: ${one.content}`, button: "Supersede it",
    fields: [{ name: "content", label: "The new statement", long: true, required: true, value: one.content }, { name: "reason", label: "Why" }, { name: "valid_from", label: "True from (such as 2026-05-01T00:00:00Z); empty: not said" }],
    apply: ({ content, reason, valid_from: from }) => write(`${at("/api/beliefs", id)}/supersede`, { content, reason, ...(from ? { valid_from: from } : {}) }, { version: one.version }),
    done: (made) => go({ view: "beliefs", id: made.belief?.id || made.id }) || again(),
  });
  const merge = () => edit({
    title: "Say that another belief is the same", say: `This one stays: ${one.content}`, button: "Merge them",
    fields: [{ name: "other", label: "Id of the other belief", required: true }, { name: "reason", label: "Why" }],
    preview: async ({ other }) => [make("p", {}, "Would become a part of it: ", make("q", {}, (await get(at("/api/beliefs", other.trim()))).content))],
    apply: ({ other, reason }) => write("/api/belief-merges", { winner_id: id, loser_id: other.trim(), reason }), done: again,
  });
  let plan = null;
  const retract = () => edit({
    title: "Take this belief back", say: "What rests on it alone goes with it; it can be undone by the receipt.", button: "Retract it", fields: [{ name: "reason", label: "Why" }],
    preview: async () => {
      plan = await post("/api/retractions/preview", { belief_id: id });
      return [make("p", {}, counts(plan.counts)), entries(plan.affected.slice(0, 20).map((part) => `${part.effect}: ${part.name}`))];
    },
    apply: ({ reason }) => write("/api/retractions", { belief_id: id, reason, plan: plan.plan }), done: again,
  });
  const held = one.status === "active" || one.status === "disputed";
  return [heading(one.content), facts([one.status, one.stage, one.scope, `version ${one.version}`, given.then ? `as known on ${given.then}` : null]),
    held && !given.then ? buttons(button("Supersede …", supersede), button("Merge …", merge), button("Retract …", retract), forget("belief", { belief_id: id }, "beliefs")) : forget("belief", { belief_id: id }, "beliefs"),
    section(`Confidence ${percent(one.confidence.overall)}`, explained ? make("p", {}, explained.label) : "", explained ? dimensions(explained) : "",
      explained?.sources.length ? entries(explained.sources.map((source) => `${source.kind}: ${source.title || source.source_id || "not named"}, reliability ${percent(source.reliability)}`)) : ""),
    section("Tensions", one.tensions.length ? entries(one.tensions.map((other) => to("beliefs", other.id, `${other.severity}, ${other.status}: ${other.a.id === id ? other.b.content : other.a.content}`, { detail: "tension" }))) : make("p", { class: "quiet" }, "Nothing speaks against it.")),
    section("History on two clocks", clocks(versions), asKnown(id, given)),
    section("About", table([["Recorded", day(one.recorded_at)], ["Confirmed", day(one.confirmed_at)], ["True from", one.valid_from && day(one.valid_from)], ["True until", one.valid_until && day(one.valid_until)],
      ["Told by", `${one.sources} sources, ${one.statements} times`], ["Kind of source", one.source_kind], ["Domain", one.domain_path.join(" › ")], ["Fades", one.decay], ["Id", one.id]]),
      one.entities.length ? entries(one.entities.map((name) => to("entities", name.id, `${name.name} (${name.role})`))) : "")];
}

function asKnown(id, given) {
  const field = make("input", { type: "datetime-local", value: (given.then || "").slice(0, 16), "aria-label": "As known on (UTC)" });
  return make("p", { class: "buttons" }, make("label", {}, "As known on (UTC) ", field),
    button("Show", () => field.value && go({ ...given, then: `${field.value}:00Z` })), given.then ? button("As known now", () => go({ ...given, then: undefined })) : "");
}

async function tension(id, { again }) {
  const one = await get(at("/api/tensions", id));
  const settle = (action, words) => button(words, () => edit({ title: words, say: `${one.a.content} ⚡ ${one.b.content}`, button: "Settle it", fields: [{ name: "resolution", label: "Why" }],
    apply: ({ resolution }) => write(`${at("/api/tensions", id)}/resolve`, { action, resolution }, { version: one.version }), done: again }));
  const open = one.status === "detected" || one.status === "investigating";
  const reopen = () => edit({ title: "Take back how it was settled", button: "Reopen it", apply: () => write(`${at("/api/tensions", id)}/reopen`, null, { version: one.version }), done: again });
  const side = (name, belief) => make("p", {}, make("b", {}, `${name} `), to("beliefs", belief.id, belief.content), facts([` ${belief.status}`, `confidence ${percent(belief.overall)}`]));
  return [heading("Two beliefs in tension"), facts([one.kind.replaceAll("_", " "), one.severity, one.status, one.scope, day(one.recorded_at)]), side("A", one.a), side("B", one.b),
    open ? buttons(settle("supersede_b", "A is right"), settle("supersede_a", "B is right"), settle("keep_both", "Keep both"), settle("archive_both", "Archive both"))
      : make("div", {}, make("p", {}, `Settled ${day(one.resolved_at)}: ${(one.action || "").replaceAll("_", " ")}. ${one.resolution}`), buttons(button("Reopen …", reopen))),
    section("Why", entries(one.signals), facts([`score ${number(one.score)}`, `similarity ${percent(one.similarity)}`]))];
}

// ---------------------------------------------------------------------------------------------------- memories

async function memories(id) {
  const one = await get(at("/api/memories", id));
  return [heading(one.content), facts([one.scope, one.speaker, one.is_representative ? "stands for its cluster" : null]), buttons(forget("memory", { memory_id: id }, "memories")),
    table([["Cluster", to("memories", one.cluster_id, one.cluster_id, { detail: "cluster" })], ["Recorded", day(one.recorded_at)], ["Said", one.timestamp && day(one.timestamp)], ["Used", `${one.access_count} times, last ${day(one.last_access_at)}`],
      ...Object.entries(one.metadata).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]), ["Id", one.memory_id]])];
}

async function cluster(id) {
  const one = await get(`${at("/api/clusters", id)}/members`);
  return [heading(`Cluster ${id}`), facts([`${one.member_contents.length} memories`, one.is_consolidated ? "consolidated" : "open", `used ${one.access_count} times`, `last ${day(one.last_access_time * 1000)}`]),
    section("Its memories", entries(one.member_contents.slice(0, 200).map((text, place) => to("memories", one.member_ids[place], text, { show: "memories" }))))];
}

// ---------------------------------------------------------------------------------------- values and experiences

async function value(id) {
  const one = await get(at("/api/values", id));
  const cause = one.cluster_id ? to("values", one.cluster_id, one.cluster_id, { detail: "experiences" }) : null;
  return [heading(one.text), facts([one.axis, one.scope, day(one.created_at)]), table([["From", `${one.cluster_size} experiences`], ["Cluster", cause], ["Id", one.id]])];
}

async function experience(id) {
  const one = await get(at("/api/experiences", id));
  return [heading(one.goal), facts([one.outcome?.status || "open", one.domain, one.strategy, one.confidence_tier, one.scope]),
    table([["Hypothesis", one.hypothesis], ["Action", one.action], ["Prediction", one.prediction], ["Result", one.outcome?.result], ["Surprise", one.surprise],
      ["Root cause", one.root_cause && `${one.root_cause.category}: ${one.root_cause.description}`], ["What worked", one.lesson?.what_worked], ["Takeaway", one.lesson?.takeaway],
      ["Began", day(one.created_at)], ["Ended", one.resolved_at && day(one.resolved_at)], ["Run", one.run_id && link({ run: one.run_id }, "the answer that it acted on")]]),
    one.history.length ? section("How it changed", entries(one.history.map((step) => `${day(step.timestamp)}: ${[step.hypothesis, step.action, step.prediction, step.note].filter(Boolean).join("; ")}`))) : null];
}

async function experiences(id, { given }) {
  const { items } = await get(`${at("/api/value_clusters", id)}/members`, { scope: scopes()?.[0], limit: 50 });
  return [heading(`Experiences of ${id}`), entries(items.map(({ id: own, payload }) => link({ ...given, id: own, detail: "experience" }, payload.goal || own)))];
}

// ---------------------------------------------------------------------------------------------------- insights

async function insights(id) {
  const one = await get(at("/api/insights", id));
  const felt = Object.entries(one.valences).filter(([, share]) => share !== null);
  return [heading(one.content), facts([one.category, one.topic_key, one.scope, day(one.created_at)]),
    table([["Strength", number(one.strength)], ["Confidence", percent(one.confidence)], ["Importance", percent(one.importance)], ["Novelty", percent(one.novelty)], ["Feelings", felt.map(([name, share]) => `${name} ${percent(share)}`).join(", ")],
      ["Open questions", one.open_questions.join("; ")], ["Supersedes", one.supersedes && to("insights", one.supersedes, one.supersedes, { detail: "insights" })], ["Id", one.id]]),
    one.conflicts_with.length ? section("In conflict with", entries(one.conflicts_with.map((other) => to("insights", other, other, { detail: "insights" })))) : null];
}

async function topic(key) {
  const [one, { items }] = await Promise.all([get(at("/api/topics", key), { scope: scopes()?.[0] }), post("/api/insights/retrieve_raw", { topic_key: key, limit: 50, scopes: scopes() })]);
  return [heading(one.key), facts([one.kind, `salience ${number(one.current_salience)} of ${number(one.salience)}`, `active ${day(one.last_activity_at)}`, one.scope]),
    section("Insights", items.length ? entries(items.map((part) => to("insights", part.id, part.content, { detail: "insights" }))) : make("p", { class: "quiet" }, "None is shown by the default profile."))];
}

async function conflict(id, { again }) {
  const one = await get(at("/api/insights/conflicts", id));
  const sides = await Promise.all([one.insight_id, one.other_id].map((side) => get(at("/api/insights", side))));
  const settle = () => edit({ title: "Settle the conflict", button: "Settle it",
    fields: [{ name: "resolution", label: "How", options: [["context_dependent", "each holds in its context"], ["paradox_kept", "both are kept as a paradox"], ["superseded:0", "the first takes the other's place"], ["superseded:1", "the second takes the other's place"]], value: "context_dependent" }, { name: "reason", label: "Why" }],
    apply: ({ resolution, reason }) => {
      const [how, side] = resolution.split(":");
      return write(`${at("/api/insights/conflicts", id)}/resolve`, { resolution: how, reason: reason || null, ...(side ? { superseding_id: sides[Number(side)].id } : {}) }, { version: one.version });
    }, done: again });
  return [heading(`A conflict on ${one.topic_key}`), facts([...one.signals, `similarity ${percent(one.similarity)}`, one.resolution || "open", day(one.recorded_at)]),
    entries(sides.map((side) => to("insights", side.id, side.content, { detail: "insights" }))), one.resolution ? null : buttons(button("Settle …", settle))];
}

// ---------------------------------------------------------------------------------------------- entities and jobs

async function entities(id, { given, again }) {
  const one = await get(at("/api/entities", id), { scope: scopes() });
  const [{ items }, about] = await Promise.all([get(`${at("/api/entities", one.id)}/relations`, { scope: scopes(), limit: 100 }), get("/api/beliefs", { entity_id: one.id, limit: 20 })]);
  const merge = () => edit({
    title: "Say that another entity is the same", say: `This one stays: ${one.name}`, button: "Merge them", fields: [{ name: "other", label: "Name or id of the other one", required: true, value: given.twin || "" }, { name: "reason", label: "Why" }],
    preview: async ({ other }) => {
      const twin = await get(at("/api/entities", other.trim()), { scope: one.scope });
      return [make("p", {}, `${twin.name} (${twin.kind}, ${twin.degree} relationships, ${twin.beliefs} beliefs) would point to ${one.name}. It can be undone.`)];
    },
    apply: async ({ other, reason }) => write("/api/entity-merges", { winner_id: one.id, loser_id: (await get(at("/api/entities", other.trim()), { scope: one.scope })).id, reason }), done: again,
  });
  return [heading(one.name), facts([one.kind, one.scope, `${one.degree} relationships`, `${one.beliefs} beliefs`, one.same_as ? "merged into another" : null]),
    one.aliases.length ? facts([`also ${one.aliases.join(", ")}`]) : null, buttons(link({ q: `What is known about ${one.name}?`, scopes: one.scope }, "Ask about it"), button("Merge …", merge)),
    section("Relationships", items.length ? entries(items.map(({ source, relation, target }) => make("span", {}, source.id === one.id ? source.name : to("entities", source.id, source.name),
      make("span", { class: "quiet" }, ` ${relation} `), target.id === one.id ? target.name : to("entities", target.id, target.name)))) : make("p", { class: "quiet" }, "None.")),
    about.items.length ? section("Beliefs about it", entries(about.items.map((belief) => to("beliefs", belief.id, `${belief.content} (${percent(belief.confidence.overall)})`)))) : null];
}

async function jobs(id, { given, again }) {
  const one = await get(at("/api/jobs", id));
  const cancel = () => edit({ title: `Cancel ${one.kind}`, say: "A waiting job ends at once, a running one at its next progress.", button: "Cancel it", apply: () => write(`${at("/api/jobs", id)}/cancel`), done: again });
  if (WAITING.includes(one.state)) setTimeout(() => location.hash.includes(given.id) && again(), REFRESH_MS);
  return [heading(one.kind), facts([one.state, one.scope, one.cancel_requested ? "is being cancelled" : null]), bar(one.total ? one.done / one.total : one.state === "succeeded" ? 1 : 0),
    make("p", { role: "status" }, `${one.total ? `${one.done} of ${one.total}. ` : ""}${one.message || ""}`), one.error ? make("p", { class: "bad" }, one.error) : null, WAITING.includes(one.state) ? buttons(button("Cancel …", cancel)) : null,
    table([["Queued", day(one.created_at)], ["Began", one.started_at && day(one.started_at)], ["Ended", one.finished_at && day(one.finished_at)], ["Parameters", JSON.stringify(one.parameters)], ["Id", one.id]])];
}

/** What is told of one thing, by its kind. */
export const details = { beliefs, tension, memories, cluster, values: value, value, experience, experiences, insights, topic, conflict, entities, jobs };
