// An entity with its relationships, told whole and merged; a job, watched and cancelled.

import { edit } from "./edits.js";
import { link, make, scopes } from "./place.js";
import { at, get, write } from "./service.js";
import { bar, button, buttons, day, entries, facts, heading, percent, section, some, table, to } from "./words.js";

const WAITING = ["queued", "running"];
const REFRESH_MS = 1500;

export async function entities(id, { given, again }) {
  const one = await get(at("/api/entities", id), { scope: scopes() });
  const [{ items }, about] = await Promise.all([
    get(`${at("/api/entities", one.id)}/relations`, { scope: scopes(), limit: 100 }),
    get("/api/beliefs", { entity_id: one.id, limit: 20 }),
  ]);
  const merge = () =>
    edit({
      title: "Say that another entity is the same",
      say: `This one stays: ${one.name}`,
      button: "Merge them",
      fields: [
        { name: "other", label: "Name or id of the other one", required: true, value: given.twin || "" },
        { name: "reason", label: "Why" },
      ],
      preview: async ({ other }) => {
        const twin = await get(at("/api/entities", other.trim()), { scope: one.scope });
        return [
          make(
            "p",
            {},
            `${twin.name} (${twin.kind}, ${some(twin.degree, "relationship")}, ${some(twin.beliefs, "belief")}) would point to ${one.name}. It can be undone.`,
          ),
        ];
      },
      apply: async ({ other, reason }) =>
        write("/api/entity-merges", {
          winner_id: one.id,
          loser_id: (await get(at("/api/entities", other.trim()), { scope: one.scope })).id,
          reason,
        }),
      done: again,
    });
  return [
    heading(one.name),
    facts([one.kind, one.scope, some(one.degree, "relationship"), some(one.beliefs, "belief"), one.same_as ? "merged into another" : null]),
    one.aliases.length ? facts([`also ${one.aliases.join(", ")}`]) : null,
    buttons(link({ q: `What is known about ${one.name}?`, scopes: one.scope }, "Ask about it"), button("Merge …", merge)),
    section(
      "Relationships",
      items.length
        ? entries(
            items.map(({ source, relation, target }) =>
              make(
                "span",
                {},
                source.id === one.id ? source.name : to("entities", source.id, source.name),
                make("span", { class: "quiet" }, ` ${relation} `),
                target.id === one.id ? target.name : to("entities", target.id, target.name),
              ),
            ),
          )
        : make("p", { class: "quiet" }, "None."),
    ),
    about.items.length
      ? section(
          "Beliefs about it",
          entries(about.items.map((belief) => to("beliefs", belief.id, `${belief.content} (${percent(belief.confidence.overall)})`))),
        )
      : null,
  ];
}

export async function jobs(id, { again }) {
  const one = await get(at("/api/jobs", id));
  const cancel = () =>
    edit({
      title: `Cancel ${one.kind}`,
      say: "A waiting job ends at once, a running one at its next progress.",
      button: "Cancel it",
      apply: () => write(`${at("/api/jobs", id)}/cancel`),
      done: again,
    });
  const changing = make("div", {});
  const draw = (now) =>
    changing.replaceChildren(
      facts([now.state, now.scope, now.cancel_requested ? "is being cancelled" : null]),
      bar(now.total ? now.done / now.total : now.state === "succeeded" ? 1 : 0),
      make("p", { role: "status" }, `${now.total ? `${now.done} of ${now.total}. ` : ""}${now.message || ""}`),
    );
  const watch = () => setTimeout(() => changing.isConnected && look().catch(again), REFRESH_MS);
  const look = async () => {
    const now = await get(at("/api/jobs", id));
    if (!WAITING.includes(now.state)) return again();
    draw(now); // this part alone: who is at a button stays there
    return watch();
  };
  draw(one);
  if (WAITING.includes(one.state)) watch();
  return [
    heading(one.kind),
    changing,
    one.error ? make("p", { class: "bad" }, one.error) : null,
    WAITING.includes(one.state) ? buttons(button("Cancel …", cancel)) : null,
    table([
      ["Queued", day(one.created_at)],
      ["Began", one.started_at && day(one.started_at)],
      ["Ended", one.finished_at && day(one.finished_at)],
      ["Parameters", JSON.stringify(one.parameters)],
      ["Id", one.id],
    ]),
  ];
}
