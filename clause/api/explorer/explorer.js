// The page: reads the form, asks, and shows the answer as it was after the chosen step.

import { markEvidence, markReceipt, markStep, showAnswers, showEdges, showEvidence, showLegend, showOtherwise, showReadings, showReceipt, showSteps, showSwitches } from "./panels.js";
import { Picture } from "./picture.js";
import { Problem, coordinate, feedback, recordedRun } from "./service.js";
import { edgesOf, framesOf, namesOf } from "./walk.js";

const BUDGETS = ["edge_budget", "step_budget", "token_budget"];
const SETTLE_MS = 350; // a slider that rests so long asks again
const RUN_TRIES = 5; // a run is written just after its answer

const at = (id) => document.getElementById(id);
const form = at("ask");
let shown = null; // {given, response, frames, picture, place}
let asking = null; // the AbortController of the request on its way
let settle = null;

function request(reading) {
  const words = (id) => at(id).value.split(",").map((word) => word.trim()).filter(Boolean);
  const budgets = Object.fromEntries(BUDGETS.map((name) => [name, Number(at(name).value)]));
  const optional = { scopes: words("scopes"), start_nodes: words("start_nodes") };
  const chosen = Object.entries(optional).filter(([, value]) => value.length);
  const policy = at("policy").value.trim();
  return { query: at("query").value.trim(), budgets, ...Object.fromEntries(chosen), ...(policy ? { policy } : {}), ...(reading ? { reading } : {}) };
}

async function ask(reading) {
  asking?.abort();
  const controller = (asking = new AbortController());
  const key = at("key").value.trim();
  complain(null);
  at("status").textContent = "Asking …";
  document.body.setAttribute("aria-busy", "true");
  try {
    const given = request(reading);
    remember(given);
    const response = await coordinate(given, key, controller.signal);
    const run = response.run_id ? await written(response.run_id, key, controller.signal) : null;
    show(response, run, given);
  } catch (error) {
    if (error.name !== "AbortError") complain(error);
  } finally {
    if (asking === controller) document.body.removeAttribute("aria-busy");
  }
}

/** Ask again as if what is switched off were not known, beside the answer that is shown; `null` switches all on. */
async function suppose(without) {
  asking?.abort();
  if (!without) return showOtherwise(at("otherwise"), null);
  const controller = (asking = new AbortController());
  complain(null);
  try {
    const given = { ...shown.given, without, record: false };
    showOtherwise(at("otherwise"), (await coordinate(given, at("key").value.trim(), controller.signal)).counterfactual);
  } catch (error) {
    if (error.name !== "AbortError") complain(error);
  }
}

/** Say that the best answer is right or wrong: it moves scores in the run's scope. */
async function judge(verdict) {
  complain(null);
  try {
    const taken = await feedback(shown.response.run_id, { verdict }, at("key").value.trim());
    at("judged").textContent = `Noted for ${taken.answer} in ${taken.scope}: ${taken.sources} sources, ${taken.calibration ? "scores are moved" : "scores stay as shipped"}.`;
  } catch (error) {
    complain(error);
  }
}

/** The recorded run; null when it cannot be had: the page then shows the end alone. */
async function written(id, key, signal) {
  for (let tried = 0; tried < RUN_TRIES; tried += 1) {
    try {
      return await recordedRun(id, key, signal);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** tried));
    }
  }
  return null;
}

function complain(error) {
  at("problem").textContent = error ? `${error.message}${error.bound ? ` (${error.bound})` : ""}` : "";
  for (const field of form.elements) field.removeAttribute("aria-invalid");
  if (!error) return;
  at("status").textContent = "";
  const field = error.field && at(error.field.split(".").at(-1));
  if (field) {
    field.closest("details")?.setAttribute("open", "");
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }
}

function show(response, run, given) {
  const { result } = response;
  const frames = framesOf(result, run);
  const names = namesOf(result);
  const nameOf = (id) => names.get(id) || id;
  const answers = new Set(result.abstained ? [] : (result.answers || []).map((answer) => answer.node));
  const seeds = (result.seeds || []).map((seed) => seed.id);
  at("result").hidden = false;
  const picture = new Picture(at("picture"), { edges: edgesOf(frames), seeds, answers, nameOf }, (words) => {
    at("node").textContent = words;
  });
  shown = { given, response, frames, picture, place: -1 };
  showAnswers(at("answers"), at("reason"), result);
  showReadings(at("readings"), result.readings || [], ask);
  at("judge").hidden = !response.run_id || !answers.size;
  at("judged").textContent = "";
  showSwitches(at("switches"), result.evidence || [], suppose);
  showOtherwise(at("otherwise"), null);
  showEvidence(at("evidence"), result.evidence || []);
  showReceipt(at("receipt"), response.receipt, response.performance);
  showSteps(at("steps"), frames, step);
  showEdges(at("edges"), frames.at(-1), nameOf);
  showLegend(at("legend"), picture);
  at("place").max = String(frames.length - 1);
  const count = answers.size;
  const found = count ? `${count} ${count === 1 ? "answer" : "answers"}` : "No answer";
  at("status").textContent = `${found}, ${frames.length - 1} steps.${run?.policy ? ` Decided by ${run.policy}.` : ""}`;
  step(frames.length - 1);
}

/** Show the run as it was after step `place`. */
function step(place) {
  const { frames, picture, response } = shown;
  const chosen = Math.max(0, Math.min(frames.length - 1, place));
  const frame = frames[chosen];
  shown.place = chosen;
  picture.show(frame);
  at("place").value = String(chosen);
  at("place").setAttribute("aria-valuetext", `step ${chosen} of ${frames.length - 1}`);
  at("told").textContent = `${chosen} / ${frames.length - 1}  ${frame.text}`;
  for (const id of ["first", "previous"]) at(id).setAttribute("aria-disabled", String(chosen === 0));
  for (const id of ["next", "last"]) at(id).setAttribute("aria-disabled", String(chosen === frames.length - 1));
  markStep(at("steps"), chosen);
  markEvidence(at("evidence"), frame.picked, frame.picked > (frames[chosen - 1]?.picked || 0));
  markReceipt(at("receipt"), response.receipt, frame.spent);
}

/** The question stands in the address, so that it can be kept and sent; the API key never does. */
function remember(given) {
  const { query, budgets, scopes, start_nodes: starts, policy } = given;
  const parts = { q: query, ...budgets, scopes: scopes?.join(","), start_nodes: starts?.join(","), policy };
  const kept = Object.entries(parts).filter(([, value]) => value !== undefined);
  history.replaceState(null, "", `#${new URLSearchParams(Object.fromEntries(kept))}`);
}

function recall() {
  const kept = new URLSearchParams(location.hash.slice(1));
  if (kept.has("q")) at("query").value = kept.get("q");
  for (const name of [...BUDGETS, "scopes", "start_nodes", "policy"]) if (kept.has(name)) at(name).value = kept.get(name);
  for (const name of BUDGETS) tell(at(name));
  return kept.has("q");
}

const tell = (slider) => {
  slider.nextElementSibling.value = slider.value;
};

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!at("query").value.trim()) at("query").value = at("query").placeholder;
  ask();
});
for (const name of BUDGETS)
  at(name).addEventListener("input", (event) => {
    tell(event.target);
    clearTimeout(settle);
    if (shown) settle = setTimeout(() => ask(), SETTLE_MS);
  });
for (const verdict of ["right", "wrong"]) at(verdict).addEventListener("click", () => judge(verdict));
at("first").addEventListener("click", () => step(0));
at("previous").addEventListener("click", () => step(shown.place - 1));
at("next").addEventListener("click", () => step(shown.place + 1));
at("last").addEventListener("click", () => step(shown.frames.length - 1));
at("place").addEventListener("input", (event) => step(Number(event.target.value)));

if (recall()) ask();
