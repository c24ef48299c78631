// What stands beside the picture: answers, evidence with its provenance, the receipt as bars, steps and edges.

import { link, make } from "./place.js";

const RESOURCES = [
  ["edges", "Edges", "SubgraphArchitect"],
  ["steps", "Steps", "PathNavigator"],
  ["tokens", "Tokens", "ContextCurator"],
];
const STOPPED_BY = {
  budget: "stopped by its budget",
  gain: "stopped: nothing left was worth its price",
  stop: "stopped of its own accord",
  nothing_left: "stopped: nothing was left to choose",
};

const number = (value, digits = 2) => (value === null || value === undefined ? "–" : Number(value).toFixed(digits));

export function showAnswers(holder, reason, result) {
  const answers = result.abstained ? [] : result.answers || [];
  holder.replaceChildren(
    ...answers.map((answer) => {
      const support = answer.supported ? "the evidence proves a path to it" : "no picked evidence proves a path to it";
      return make(
        "li",
        { title: support },
        answer.kind === "entity" && answer.node
          ? link({ view: "entities", id: answer.node }, answer.name)
          : make("span", { dir: "auto" }, answer.name),
        " ",
        make("span", { class: "score" }, number(answer.answer_score)),
        answer.supported ? " ✓" : "",
      );
    }),
  );
  const proved = answers.filter((answer) => answer.supported).length;
  const shown =
    proved === answers.length
      ? "✓ proved by the evidence below"
      : proved
        ? `✓ ${proved} of ${answers.length} proved by the evidence below`
        : "The evidence below proves none of them.";
  reason.textContent = answers.length ? shown : `No answer: ${result.reason || "nothing was good enough"}.`;
}

/** How the question was read, and the other readings as buttons; `chosen` is called with a reading's id. */
export function showReadings(holder, readings, chosen) {
  const [first, ...others] = readings;
  holder.hidden = !first;
  if (!first) return;
  holder.replaceChildren(
    make("p", {}, "Read as: ", make("q", { dir: "auto" }, first.words), " ", score(first)),
    ...others.map((reading) => {
      const button = make("button", { type: "button" }, `or: ${reading.words} `, score(reading));
      button.addEventListener("click", () => chosen(reading.id));
      return button;
    }),
  );
}

const score = (reading) => make("span", { class: "score" }, number(reading.probability));

/** A switch for each source of the answer and for each piece of its evidence; `changed` is called with what is off. */
export function showSwitches(holder, evidence, changed) {
  const sources = new Map(
    evidence.filter((item) => item.source_id).map((item) => [item.source_id, item.provenance?.source_uri || item.source_id]),
  );
  const parts = [...sources].map(([id, uri]) => ["sources", id, `source ${uri}`]);
  for (const { node, edge, text } of evidence) {
    if (edge) parts.push(["edges", { source: edge.from, relation: edge.relation, target: edge.to }, text]);
    else if (node) parts.push(["beliefs", node, text]);
  }
  const tell = () => {
    const without = {};
    for (const box of holder.querySelectorAll("input:not(:checked)")) {
      const [kind, name] = parts[Number(box.value)];
      (without[kind] ||= []).push(name);
    }
    changed(Object.keys(without).length ? without : null);
  };
  holder.replaceChildren(
    ...parts.map(([, , words], place) => {
      const box = make("input", { type: "checkbox", value: String(place), checked: "" });
      box.addEventListener("change", tell);
      return make("li", {}, make("label", { dir: "auto" }, box, " ", words));
    }),
  );
  holder.parentElement.hidden = !parts.length;
}

const CHANGED = { came: "new", went: "gone", score: "scored otherwise" };

/** The answer without what was switched off, and what that changes; nothing where nothing was. */
export function showOtherwise(holder, other) {
  if (!other) return holder.replaceChildren();
  const { result } = other;
  const answers = result.abstained ? [] : result.answers;
  const words = answers.length
    ? "Without it, the answers are:"
    : `Without it there is no answer: ${result.reason || "nothing was good enough"}.`;
  const said = answers.map((answer) => make("li", {}, answer.name, " ", make("span", { class: "score" }, number(answer.answer_score))));
  const moved = other.changes.map((change) =>
    make(
      "li",
      { class: change.kind },
      `${CHANGED[change.kind]}: ${change.name} `,
      make("span", { class: "score" }, `${number(change.before)} → ${number(change.after)}`),
    ),
  );
  return holder.replaceChildren(
    make("p", {}, words),
    make("ol", {}, ...said),
    make("p", { class: "quiet" }, moved.length ? "What that changes:" : "That changes nothing."),
    make("ul", { class: "changes" }, ...moved),
  );
}

export function showEvidence(holder, evidence) {
  holder.replaceChildren(
    ...evidence.map((item, place) => {
      const source = item.provenance;
      const facts = [`${item.tokens} tokens`, `score ${number(item.score)}`, `worth ${number(item.shaped_utility, 3)} after its price`];
      const entry = make(
        "li",
        { id: `evidence-${place}` },
        make("p", { class: "text", dir: "auto" }, item.text),
        make("p", { class: "quiet" }, facts.join(" · ")),
      );
      if (source) entry.append(provenance(source));
      return entry;
    }),
  );
  if (!evidence.length) holder.replaceChildren(make("li", { class: "none" }, "None was picked."));
}

function provenance(source) {
  const when = new Date(source.extraction_timestamp);
  const rows = [
    ["Source", source.source_uri],
    ["Status", source.verification_status.replace("_", " ")],
    ["Sources that say so", source.corroboration_count],
    ["Reputation", number(source.trust_signals.reputation_score)],
    ["Recency", number(source.trust_signals.recency_score)],
    ["Consistency with the question", number(source.trust_signals.semantic_consistency)],
    ["Extracted", `${when.toISOString().slice(0, 19).replace("T", " ")} UTC by ${source.extractor_identity}`],
  ];
  const table = make("dl", {}, ...rows.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, String(value))]));
  const mark = make("span", { class: `status ${source.verification_status}` }, source.verification_status.replace("_", " "));
  return make("details", {}, make("summary", {}, `from ${source.source_uri} `, mark), table);
}

/** Marks the evidence that was picked up to a frame. */
export function markEvidence(holder, picked, current) {
  [...holder.children].forEach((entry, place) => {
    entry.classList.toggle("waiting", place >= picked);
    entry.classList.toggle("current", current && place === picked - 1);
  });
}

export function showReceipt(holder, receipt, performance) {
  holder.replaceChildren(
    ...RESOURCES.filter(([name]) => receipt[name]).map(([name, title, agent]) => {
      const line = receipt[name];
      const left = line.best_left_out;
      const words = `${line.spent} of ${line.budget}, at ${line.price} per ${line.unit}: paid ${Number(line.paid.toFixed(4))}`;
      const bar = make(
        "div",
        {
          class: "bar",
          role: "meter",
          "aria-label": `${title} spent`,
          "aria-valuemin": 0,
          "aria-valuemax": line.budget,
          "aria-valuenow": line.spent,
          "aria-valuetext": words,
        },
        make("span", { class: "all" }),
        make("span", { class: "so-far" }),
      );
      const entry = make(
        "div",
        { class: "resource", id: `receipt-${name}` },
        make("p", {}, make("strong", {}, title), ` ${words}`),
        bar,
        make(
          "p",
          { class: "quiet" },
          `${agent} ${STOPPED_BY[line.stopped_by] || line.stopped_by}.`,
          left ? ` Best left out: ${left.what} (would cost ${left.would_cost}).` : "",
        ),
      );
      entry.querySelector(".all").style.width = share(line.spent, line.budget);
      return entry;
    }),
    make(
      "p",
      { class: "quiet" },
      `${number(performance.total_latency_ms, 0)} ms in all; calls of the database took ${number(performance.database_ms, 0)} ms, some side by side.`,
    ),
  );
}

export function markReceipt(holder, receipt, spent) {
  for (const [name] of RESOURCES) {
    const bar = holder.querySelector(`#receipt-${name} .so-far`);
    if (bar) bar.style.width = share(spent[name], receipt[name].budget);
  }
}

const share = (spent, budget) => `${Math.min(100, (100 * spent) / Math.max(1, budget)).toFixed(2)}%`;

/** The steps as buttons; `chosen` is called with a frame's number. */
export function showSteps(holder, frames, chosen) {
  holder.replaceChildren(
    ...frames.map((frame, place) => {
      const button = make("button", { type: "button" }, frame.text);
      button.addEventListener("click", () => chosen(place));
      return make("li", {}, button);
    }),
  );
}

export function markStep(holder, place) {
  [...holder.children].forEach((entry, index) => {
    const button = entry.firstElementChild;
    if (index === place) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
}

export function showEdges(holder, frame, nameOf) {
  holder.replaceChildren(
    ...[...frame.edges.values()].map(({ edge: [source, relation, target], step }) =>
      make(
        "tr",
        {},
        make("td", {}, nameOf(source)),
        make("td", {}, relation),
        make("td", {}, nameOf(target)),
        make("td", {}, String(step)),
      ),
    ),
  );
}

/** What the colours mean; a relationship type is a switch that hides and shows its relationships. */
export function showLegend(holder, picture) {
  const relations = picture.relations.map((relation) => {
    const toggle = (event) => {
      const shown = event.currentTarget.getAttribute("aria-pressed") === "false";
      event.currentTarget.setAttribute("aria-pressed", String(shown));
      picture.filter(relation, shown);
    };
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", "aria-pressed": String(!picture.off.has(relation)), title: "hide or show", onclick: toggle },
        make("span", { class: `swatch ${picture.colour(relation)}` }),
        relation,
      ),
    );
  });
  const marks = [
    ["seed", "start"],
    ["answer", "answer"],
    ["here", "where the walk is"],
  ].map(([mark, words]) => make("li", {}, make("span", { class: `dot ${mark}` }), words));
  holder.replaceChildren(...marks, ...relations);
}
