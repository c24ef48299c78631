// A belief told whole: confidence, tensions, history on two clocks; superseded, merged, retracted, settled.

import { edit, forget } from "./edits.js";
import { go, make } from "./place.js";
import { at, get, post, write } from "./service.js";
import { bar, button, buttons, counts, day, entries, facts, heading, number, percent, section, table, to } from "./words.js";

function dimensions(explained) {
  return make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...["", "Value", "Weight", "How"].map((one) => make("th", { scope: "col" }, one)))),
    make(
      "tbody",
      {},
      ...explained.dimensions.map((one) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, one.name.replaceAll("_", " ")),
          make("td", {}, ...(one.value === null ? ["–"] : [bar(one.value), ` ${percent(one.value)}`])),
          make("td", {}, percent(one.share)),
          make("td", { class: "quiet" }, one.how),
        ),
      ),
    ),
  );
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
    piece.style.left = `${Math.min(98.5, (100 * (begin - low)) / span)}%`;
    piece.style.width = `${Math.max(1.5, (100 * (end - begin)) / span)}%`;
    return make("span", { class: "track" }, piece);
  };
  return make(
    "ol",
    { class: "clocks" },
    ...versions.map((one, place) => {
      const [here, world] = [
        `known ${day(one.recorded_at)} to ${known[place][1] ? day(known[place][1]) : "now"}`,
        `true ${one.valid_from ? `from ${day(one.valid_from)}` : "since ever"} ${one.valid_until ? `to ${day(one.valid_until)}` : "until now"}`,
      ];
      return make(
        "li",
        {},
        to("beliefs", one.id, one.content),
        facts([one.status, one.reason]),
        strip(known[place], "known", here),
        make("span", { class: "quiet" }, here),
        strip(valid[place], "valid", world),
        make("span", { class: "quiet" }, world),
      );
    }),
  );
}

async function versionsOf(one) {
  const others = [...one.superseded_by, ...one.supersedes].slice(0, 12);
  const whole = await Promise.all(
    others.map((other) =>
      get(at("/api/beliefs", other.id)).then(
        (full) => ({ ...full, reason: other.reason }),
        () => other,
      ),
    ),
  );
  return [...whole, one].sort((a, b) => (a.recorded_at < b.recorded_at ? 1 : -1));
}

export async function beliefs(id, { given, again }) {
  const one = await get(at("/api/beliefs", id), { as_of_recorded: given.then });
  const [explained, versions] = await Promise.all([
    given.then ? null : get(`${at("/api/beliefs", id)}/confidence`).catch(() => null),
    versionsOf(one),
  ]);
  const supersede = () =>
    edit({
      title: "Put a new belief in its place",
      say: `Now: ${one.content}`,
      button: "Supersede it",
      fields: [
        { name: "content", label: "The new statement", long: true, required: true, value: one.content },
        { name: "reason", label: "Why" },
        { name: "valid_from", label: "True from (such as 2026-05-01T00:00:00Z); empty: not said" },
      ],
      apply: ({ content, reason, valid_from: from }) =>
        write(`${at("/api/beliefs", id)}/supersede`, { content, reason, ...(from ? { valid_from: from } : {}) }, { version: one.version }),
      done: (made) => go({ view: "beliefs", id: made.belief?.id || made.id }) || again(),
    });
  const merge = () =>
    edit({
      title: "Say that another belief is the same",
      say: `This one stays: ${one.content}`,
      button: "Merge them",
      fields: [
        { name: "other", label: "Id of the other belief", required: true },
        { name: "reason", label: "Why" },
      ],
      preview: async ({ other }) => [
        make("p", {}, "Would become a part of it: ", make("q", {}, (await get(at("/api/beliefs", other.trim()))).content)),
      ],
      apply: ({ other, reason }) => write("/api/belief-merges", { winner_id: id, loser_id: other.trim(), reason }),
      done: again,
    });
  let plan = null;
  const retract = () =>
    edit({
      title: "Take this belief back",
      say: "What rests on it alone goes with it; it can be undone by the receipt.",
      button: "Retract it",
      fields: [{ name: "reason", label: "Why" }],
      preview: async () => {
        plan = await post("/api/retractions/preview", { belief_id: id });
        return [make("p", {}, counts(plan.counts)), entries(plan.affected.slice(0, 20).map((part) => `${part.effect}: ${part.name}`))];
      },
      apply: ({ reason }) => write("/api/retractions", { belief_id: id, reason, plan: plan.plan }),
      done: again,
    });
  const held = one.status === "active" || one.status === "disputed";
  return [
    heading(one.content),
    facts([one.status, one.stage, one.scope, `version ${one.version}`, given.then ? `as known on ${given.then}` : null]),
    held && !given.then
      ? buttons(
          button("Supersede …", supersede),
          button("Merge …", merge),
          button("Retract …", retract),
          forget("belief", { belief_id: id }, "beliefs"),
        )
      : forget("belief", { belief_id: id }, "beliefs"),
    section(
      `Confidence ${percent(one.confidence.overall)}`,
      explained ? make("p", {}, explained.label) : "",
      explained ? dimensions(explained) : "",
      explained?.sources.length
        ? entries(
            explained.sources.map(
              (source) => `${source.kind}: ${source.title || source.source_id || "not named"}, reliability ${percent(source.reliability)}`,
            ),
          )
        : "",
    ),
    section(
      "Tensions",
      one.tensions.length
        ? entries(
            one.tensions.map((other) =>
              to("beliefs", other.id, `${other.severity}, ${other.status}: ${other.a.id === id ? other.b.content : other.a.content}`, {
                detail: "tension",
              }),
            ),
          )
        : make("p", { class: "quiet" }, "Nothing speaks against it."),
    ),
    section("History on two clocks", clocks(versions), asKnown(id, given)),
    section(
      "About",
      table([
        ["Recorded", day(one.recorded_at)],
        ["Confirmed", day(one.confirmed_at)],
        ["True from", one.valid_from && day(one.valid_from)],
        ["True until", one.valid_until && day(one.valid_until)],
        ["Told by", `${one.sources} sources, ${one.statements} times`],
        ["Kind of source", one.source_kind],
        ["Domain", one.domain_path.join(" › ")],
        ["Fades", one.decay],
        ["Id", one.id],
      ]),
      one.entities.length ? entries(one.entities.map((name) => to("entities", name.id, `${name.name} (${name.role})`))) : "",
    ),
  ];
}

function asKnown(id, given) {
  const field = make("input", { type: "datetime-local", value: (given.then || "").slice(0, 16), "aria-label": "As known on (UTC)" });
  return make(
    "p",
    { class: "buttons" },
    make("label", {}, "As known on (UTC) ", field),
    button("Show", () => field.value && go({ ...given, then: `${field.value}:00Z` })),
    given.then ? button("As known now", () => go({ ...given, then: undefined })) : "",
  );
}

export async function tension(id, { again }) {
  const one = await get(at("/api/tensions", id));
  const settle = (action, words) =>
    button(words, () =>
      edit({
        title: words,
        say: `${one.a.content} ⚡ ${one.b.content}`,
        button: "Settle it",
        fields: [{ name: "resolution", label: "Why" }],
        apply: ({ resolution }) => write(`${at("/api/tensions", id)}/resolve`, { action, resolution }, { version: one.version }),
        done: again,
      }),
    );
  const open = one.status === "detected" || one.status === "investigating";
  const reopen = () =>
    edit({
      title: "Take back how it was settled",
      button: "Reopen it",
      apply: () => write(`${at("/api/tensions", id)}/reopen`, null, { version: one.version }),
      done: again,
    });
  const side = (name, belief) =>
    make(
      "p",
      {},
      make("b", {}, `${name} `),
      to("beliefs", belief.id, belief.content),
      facts([` ${belief.status}`, `confidence ${percent(belief.overall)}`]),
    );
  return [
    heading("Two beliefs in tension"),
    facts([one.kind.replaceAll("_", " "), one.severity, one.status, one.scope, day(one.recorded_at)]),
    side("A", one.a),
    side("B", one.b),
    open
      ? buttons(
          settle("supersede_b", "A is right"),
          settle("supersede_a", "B is right"),
          settle("keep_both", "Keep both"),
          settle("archive_both", "Archive both"),
        )
      : make(
          "div",
          {},
          make("p", {}, `Settled ${day(one.resolved_at)}: ${(one.action || "").replaceAll("_", " ")}. ${one.resolution}`),
          buttons(button("Reopen …", reopen)),
        ),
    section("Why", entries(one.signals), facts([`score ${number(one.score)}`, `similarity ${percent(one.similarity)}`])),
  ];
}
