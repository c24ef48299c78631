// A question and its answer: readings, proof, receipt, the subgraph as it was after each step; and runs from the history.

import { BUDGETS, request, showExamples, tell, typed } from "./form.js";
import { Picture } from "./graph.js";
import {
  markEvidence,
  markReceipt,
  markStep,
  showAnswers,
  showEdges,
  showEvidence,
  showLegend,
  showOtherwise,
  showReadings,
  showReceipt,
  showSteps,
  showSwitches,
} from "./panels.js";
import { byId, complain, go, link, make, parts, scopes } from "./place.js";
import { cypherOf, fileName, keep } from "./saved.js";
import { Problem, at, coordinate, feedback, get, recordedRun } from "./service.js";
import { edgesOf, framesOf, namesOf } from "./walk.js";
import { some } from "./words.js";

const SETTLE_MS = 350; // a slider that rests so long asks again
const RUN_TRIES = 5; // a run is written just after its answer

const form = byId("ask");
let shown = null; // {hash, given, response, run, frames, picture, names, place}
let asking = null; // the AbortController of the request on its way
let settle = null;

/** Do one thing at a time: what was on its way is given up, and a failure leaves no answer of before on the page. */
async function working(words, work) {
  asking?.abort();
  const controller = (asking = new AbortController());
  complain(null);
  byId("status").textContent = words;
  document.body.setAttribute("aria-busy", "true");
  try {
    await work(controller.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    clear();
    complain(error);
  } finally {
    if (asking === controller) document.body.removeAttribute("aria-busy");
  }
}

/** Take the answer off the page. */
function clear() {
  shown?.picture?.close();
  shown = null;
  byId("result").hidden = true;
  byId("status").textContent = "";
  byId("examples").hidden = false;
  for (const id of ["answers", "reason", "readings", "evidence", "receipt", "steps", "edges", "otherwise"]) byId(id).replaceChildren();
}

const ask = (given) =>
  working("Asking …", async (signal) => {
    const hash = location.hash;
    const response = await coordinate(given, signal);
    const run = response.run_id ? await written(response.run_id, signal) : null;
    show({ hash, given, response, run });
  });

/** A run of the history: the same request as of its own time, which is not recorded again. */
const reopen = (id) =>
  working("Reading the run …", async (signal) => {
    const hash = location.hash;
    const run = await recordedRun(id, signal);
    const then = { as_of_recorded: run.as_of_recorded || run.recorded_at, as_of_valid: run.as_of_valid || run.recorded_at };
    const response = await coordinate({ ...run.request, ...then, policy: run.policy, record: false }, signal);
    byId("query").value = run.query;
    for (const [name, value] of Object.entries(run.request.budgets || {})) if (BUDGETS.includes(name)) byId(name).value = value;
    BUDGETS.forEach((name) => tell(byId(name)));
    show({ hash, given: run.request, response, run });
  });

/** Ask again as if what is switched off were not known, beside the answer that is shown; `null` switches all on. */
async function suppose(without) {
  asking?.abort();
  showOtherwise(byId("otherwise"), null);
  if (!without) return;
  const controller = (asking = new AbortController());
  complain(null);
  try {
    const given = { ...shown.given, without, record: false };
    showOtherwise(byId("otherwise"), (await coordinate(given, controller.signal)).counterfactual);
  } catch (error) {
    if (error.name !== "AbortError") complain(error);
  }
}

/** Say that the best answer is right or wrong: it moves scores in the run's scope. */
async function judge(verdict) {
  complain(null);
  try {
    const taken = await feedback(shown.run?.id || shown.response.run_id, { verdict });
    byId("judged").textContent =
      `Noted for ${taken.answer} in ${taken.scope}: ${taken.sources} sources, ${taken.calibration ? "scores are moved" : "scores stay as shipped"}.`;
  } catch (error) {
    complain(error);
  }
}

/** The recorded run; null when it cannot be had: the page then shows the end alone. */
async function written(id, signal) {
  for (let tried = 0; tried < RUN_TRIES; tried += 1) {
    try {
      return await recordedRun(id, signal);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** tried));
    }
  }
  return null;
}

function show({ hash, given, response, run }) {
  const { result } = response;
  const frames = framesOf(result, run);
  const names = namesOf(result);
  const nameOf = (id) => names.get(id) || id;
  const answers = new Set(result.abstained ? [] : (result.answers || []).map((answer) => answer.node));
  const seeds = (result.seeds || []).map((seed) => seed.id);
  shown?.picture?.close();
  byId("result").hidden = false;
  byId("examples").hidden = true;
  byId("asked").replaceChildren(make("q", { dir: "auto" }, given.query));
  const edges = edgesOf(frames);
  const picture = new Picture(byId("picture"), { edges, seeds, answers, nameOf }, pointed);
  shown = { hash, given, response, run, frames, picture, names, place: -1 };
  byId("layout").value = "";
  byId("expand").disabled = true;
  byId("node").textContent = "Point at a node, or tab to the picture and use the arrow keys.";
  showAnswers(byId("answers"), byId("reason"), result);
  showReadings(byId("readings"), result.readings || [], (reading) => go(typed({ reading })));
  byId("judge").hidden = !(run || response.run_id) || !answers.size;
  byId("judged").textContent = "";
  showSwitches(byId("switches"), result.evidence || [], suppose);
  byId("without").open = false;
  showOtherwise(byId("otherwise"), null);
  showEvidence(byId("evidence"), result.evidence || []);
  showReceipt(byId("receipt"), response.receipt, response.performance);
  showSteps(byId("steps"), frames, step);
  showEdges(byId("edges"), frames.at(-1), nameOf);
  showLegend(byId("legend"), picture);
  byId("place").max = String(frames.length - 1);
  const found = answers.size ? `${answers.size} ${answers.size === 1 ? "answer" : "answers"}` : "No answer";
  const id = run?.id || response.run_id;
  byId("status").replaceChildren(
    `${found}, ${some(frames.length - 1, "step")}.${run?.policy ? ` Decided by ${run.policy}.` : ""} `,
    ...(parts().run
      ? [`As it was answered on ${new Date(run.recorded_at).toLocaleString()}. `, link(askAgain(given), "Ask it now")]
      : id
        ? [link({ run: id }, "Link to this run")]
        : []),
  );
  step(frames.length - 1);
}

const askAgain = ({ query, budgets, scopes: where, start_nodes: starts, policy }) => ({
  q: query,
  ...budgets,
  scopes: where?.join(","),
  start_nodes: starts?.join(","),
  policy,
});

/** The question of a run, under the budgets that the form has. */
const asIn = (given) => ({ ...askAgain(given), ...Object.fromEntries(BUDGETS.map((name) => [name, byId(name).value])) });

function pointed(words, id) {
  byId("node").textContent = words;
  byId("expand").disabled = false;
  byId("expand").dataset.node = id;
}

/** Draw what else the graph holds around the node that is pointed at. */
async function expand() {
  const { node } = byId("expand").dataset;
  complain(null);
  try {
    const { items } = await get(`${at("/api/entities", node)}/relations`, { scope: scopes(), limit: 25 });
    for (const { source, target } of items)
      for (const end of [source, target]) if (!shown.names.has(end.id)) shown.names.set(end.id, end.name);
    const count = shown.picture.grow(items.map(({ source, relation, target }) => [source.id, relation, target.id]));
    shown.picture.show(shown.frames[shown.place]);
    showLegend(byId("legend"), shown.picture);
    byId("node").textContent = count
      ? `${some(count, "more relationship")} of ${shown.names.get(node) || node}.`
      : `Nothing more is known around ${shown.names.get(node) || node}.`;
  } catch (error) {
    complain(error);
  }
}

/** Show the run as it was after step `place`. */
function step(place) {
  const { frames, picture, response } = shown;
  const chosen = Math.max(0, Math.min(frames.length - 1, place));
  const frame = frames[chosen];
  shown.place = chosen;
  picture.show(frame);
  byId("place").value = String(chosen);
  byId("place").setAttribute("aria-valuetext", `step ${chosen} of ${frames.length - 1}`);
  byId("told").textContent = `${chosen} / ${frames.length - 1}  ${frame.text}`;
  for (const id of ["first", "previous"]) byId(id).setAttribute("aria-disabled", String(chosen === 0));
  for (const id of ["next", "last"]) byId(id).setAttribute("aria-disabled", String(chosen === frames.length - 1));
  markStep(byId("steps"), chosen);
  markEvidence(byId("evidence"), frame.picked, frame.picked > (frames[chosen - 1]?.picked || 0));
  markReceipt(byId("receipt"), response.receipt, frame.spent);
}

async function save(kind) {
  const { given, response, run, picture, names } = shown;
  const name = fileName(given.query, kind);
  if (kind === "png") keep(name, picture.png());
  else if (kind === "json") keep(name, JSON.stringify({ request: given, response, run }, null, 2), "application/json");
  else
    keep(
      name,
      cypherOf(
        given.query,
        picture.cy.edges(":visible").map((edge) => [edge.data("source"), edge.data("relation"), edge.data("target")]),
        (id) => names.get(id) || id,
      ),
      "text/plain",
    );
}

/** Follow the address: ask its question, open its run, or wait for one. */
export function showAsk(given) {
  if (given.q !== undefined) byId("query").value = given.q;
  byId("start_nodes").value = given.start_nodes || "";
  for (const name of BUDGETS) {
    if (given[name]) byId(name).value = given[name];
    tell(byId(name));
  }
  showExamples();
  if (shown?.hash === location.hash) return;
  if (given.run) reopen(given.run);
  else if (given.q) ask(request(given));
  else {
    asking?.abort();
    clear();
    complain(null);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!byId("query").value.trim()) return complain({ message: "Type a question, or choose one of the examples.", field: "query" });
  if (!go(typed())) ask(request(parts()));
});
for (const name of BUDGETS)
  byId(name).addEventListener("input", (event) => {
    tell(event.target);
    clearTimeout(settle);
    if (shown) settle = setTimeout(() => go(parts().run ? asIn(shown.given) : typed({ reading: parts().reading }), { replace: true }), SETTLE_MS);
  });
for (const verdict of ["right", "wrong"]) byId(verdict).addEventListener("click", () => judge(verdict));
for (const kind of ["png", "json", "cypher"]) byId(`save-${kind}`).addEventListener("click", () => save(kind));
byId("first").addEventListener("click", () => step(0));
byId("previous").addEventListener("click", () => step(shown.place - 1));
byId("next").addEventListener("click", () => step(shown.place + 1));
byId("last").addEventListener("click", () => step(shown.frames.length - 1));
byId("place").addEventListener("input", (event) => step(Number(event.target.value)));
byId("closer").addEventListener("click", () => shown.picture.zoom(true));
byId("farther").addEventListener("click", () => shown.picture.zoom(false));
byId("fit").addEventListener("click", () => shown.picture.fit());
byId("expand").addEventListener("click", expand);
byId("picture").addEventListener("keydown", (event) => event.key === "Enter" && !byId("expand").disabled && expand());
byId("layout").addEventListener("change", () => shown.picture.place(byId("layout").value));
