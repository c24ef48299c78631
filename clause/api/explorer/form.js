// The form of a question: its parts, its budgets, and questions to begin with.

import { byId, link, make, scopes } from "./place.js";
import { get } from "./service.js";

export const BUDGETS = ["edge_budget", "step_budget", "token_budget"];
const EXAMPLE_SCOPES = 3;

/** The question as the form and the address have it. */
export function request({ reading, start_nodes: starts, policy }) {
  const budgets = Object.fromEntries(BUDGETS.map((name) => [name, Number(byId(name).value)]));
  const optional = {
    scopes: scopes(),
    policy,
    reading,
    start_nodes: starts
      ?.split(",")
      .map((one) => one.trim())
      .filter(Boolean),
  };
  return {
    query: byId("query").value.trim(),
    budgets,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value?.length)),
  };
}

/** The parts of the address that the form stands for. */
export function typed(more = {}) {
  const starts = byId("start_nodes").value.trim();
  const budgets = Object.fromEntries(BUDGETS.map((name) => [name, byId(name).value]));
  return { q: byId("query").value.trim(), ...budgets, start_nodes: starts, ...more };
}

/** Show the number that a slider stands at. */
export const tell = (slider) => {
  slider.nextElementSibling.value = slider.value;
};

let exampled = null;

/** Questions to begin with, of the scopes that are chosen, else of the first that have some. */
export async function showExamples() {
  const wanted =
    scopes() || [...byId("scope-list").querySelectorAll("input")].map((box) => box.value).filter((name) => name.startsWith("kg:"));
  if (exampled === wanted.join()) return;
  exampled = wanted.join();
  byId("examples").replaceChildren(); // those of other scopes are nobody's to press while these are read
  const found = await Promise.allSettled(wanted.slice(0, EXAMPLE_SCOPES).map((scope) => get("/api/scopes/examples", { scope })));
  if (exampled !== wanted.join()) return;
  const questions = found.flatMap((one, place) =>
    one.status === "fulfilled" ? one.value.items.map((question) => [question, wanted[place]]) : [],
  );
  const links = questions.slice(0, 8).map(([q, scope]) => make("li", {}, link({ q, scopes: scope }, q)));
  byId("examples").replaceChildren(...(links.length ? [make("p", {}, "For example:"), make("ul", {}, ...links)] : []));
}
