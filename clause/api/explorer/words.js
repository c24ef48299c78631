// Small shapes that all views share: days, shares, bars, lines of facts.

import { link, make } from "./place.js";

export const percent = (share) => `${Math.round(100 * share)} %`;
export const day = (instant) => (instant ? new Date(instant).toISOString().slice(0, 16).replace("T", " ") : "–");
export const number = (value, digits = 2) => (value === null || value === undefined ? "–" : Number(value).toFixed(digits));

/** A number with its noun: `1 memory`, `2 memories`. */
export const some = (count, one, many = `${one}s`) => `${count} ${Number(count) === 1 ? one : many}`;

export function bar(share) {
  const entry = make("span", { class: "share", "aria-hidden": "true" }, make("span"));
  entry.firstChild.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
  return entry;
}

export const facts = (said) => make("span", { class: "quiet facts" }, said.filter(Boolean).join(" · "));

/** A heading that takes the focus when its thing is opened. */
export const heading = (words) => make("h3", { tabindex: "-1", dir: "auto" }, words);

export function table(rows) {
  return make(
    "dl",
    {},
    ...rows
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .flatMap(([term, value]) => [make("dt", {}, term), make("dd", { dir: "auto" }, value instanceof Node ? value : String(value))]),
  );
}

export const button = (words, onclick, kind = null) => make("button", { type: "button", onclick, class: kind }, words);
export const section = (title, ...children) => make("section", {}, make("h4", {}, title), ...children);
export const entries = (items) => make("ul", { class: "plain" }, ...items.map((item) => make("li", {}, item)));
/** A link to one thing in its view. */
export const to = (view, id, words, more = {}) => link({ view, id, ...more }, words);
export const buttons = (...some) => make("p", { class: "buttons" }, ...some);
export const counts = (given) => facts(Object.entries(given).map(([name, count]) => `${count} ${name}`));
