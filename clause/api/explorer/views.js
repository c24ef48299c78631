// A list with what is told of one thing beside it, as the address names them.

import { details } from "./details.js";
import { VIEWS } from "./lists.js";
import { byId, complain, go, link, make, parts } from "./place.js";
import { bar, facts } from "./words.js";

let turn = 0;
let opened = null; // what the detail tells of: who goes back to the list is put on its line
const mark = (id, scope) => id && (scope ? `${scope} ${id}` : id); // one key may stand in two scopes

function line({ id, at, more, title, facts: said, meter, dim }) {
  const here = parts();
  const entry = link(
    at || { ...here, then: undefined, scope: undefined, id, ...more, detail: undefined },
    make("span", { class: "title", dir: "auto" }, title),
    meter === undefined || meter === null ? null : bar(meter),
    facts(said),
  );
  const own = mark(id, more?.scope);
  if (own && own === mark(here.id, here.scope)) entry.setAttribute("aria-current", "true");
  return make("li", { class: dim ? "dim" : null, "data-id": own }, entry);
}

/** Show the list that the address names and, where it names one thing, what is told of it. */
export async function showView(name, given, fresh) {
  const mine = (turn += 1);
  const late = () => mine !== turn;
  const view = VIEWS[name];
  const finding = view.find && given.find;
  const listed = view.lists[given.show] || Object.values(view.lists)[0];
  const left = !given.id && byId("detail").contains(document.activeElement) ? opened : null;
  opened = mark(given.id, given.scope);
  complain(null);
  byId("view-title").textContent = view.title;
  byId("about").textContent = view.about;
  byId("show").replaceChildren(...Object.entries(view.lists).map(([key, { words }]) => make("option", { value: key }, words)));
  byId("show").value = Object.entries(view.lists).find(([, one]) => one === listed)[0];
  byId("show-label").hidden = Object.keys(view.lists).length < 2;
  byId("find").hidden = !view.find;
  byId("find-words").value = given.find || "";
  byId("find-words").placeholder = view.find?.words || "";
  byId("listing").classList.toggle("one", Boolean(given.id));
  byId("above").replaceChildren();
  byId("more-lines").hidden = true;
  const detail = (!finding && listed.detail) || name;
  if (given.id) tellOne(given.detail || detail, given, late, fresh);
  else byId("detail").replaceChildren();
  if (view.above)
    view.above().then(
      (told) => late() || byId("above").replaceChildren(told),
      () => {},
    );
  const source = finding ? { load: () => view.find.load(given.find), row: view.find.row } : listed;
  byId("lines").replaceChildren(make("li", { class: "quiet" }, "Reading …"));
  await lines(
    source,
    undefined,
    late,
    finding ? "Nothing fits." : view.find && name === "entities" ? "Type a name above. Pairs that may be one stand here once the job resolve_entities has found some." : "Nothing is here yet.",
  );
  if (left && !late()) byId("lines").querySelector(`[data-id="${CSS.escape(left)}"] a`)?.focus();
}

async function lines(source, cursor, late, none) {
  byId("listing").setAttribute("aria-busy", "true");
  try {
    const { items, next_cursor: next, note } = await source.load({ cursor });
    if (late()) return;
    const entries = items.map((item) => line(source.row(item)));
    if (!cursor) byId("lines").replaceChildren(...(entries.length ? entries : [make("li", { class: "quiet" }, note || none)]));
    else byId("lines").append(...entries);
    byId("more-lines").hidden = !next;
    byId("more-lines").onclick = () => lines(source, next, late, none);
  } catch (error) {
    if (late()) return;
    byId("lines").replaceChildren();
    complain(error);
  } finally {
    if (!late()) byId("listing").removeAttribute("aria-busy");
  }
}

async function tellOne(kind, given, late, fresh) {
  const holder = byId("detail");
  holder.replaceChildren(make("p", { class: "quiet" }, "Reading …"));
  const again = () => showView(given.view, parts(), false);
  try {
    const told = await details[kind](given.id, { given, again });
    if (late()) return;
    holder.replaceChildren(
      link({ ...given, id: undefined, scope: undefined, twin: undefined, then: undefined, detail: undefined }, "‹ Back to the list"),
      ...told.filter(Boolean),
    );
    holder.firstChild.className = "back";
    if (fresh && matchMedia("(max-width: 900px)").matches) holder.scrollIntoView();
    if (fresh) holder.querySelector("h3")?.focus();
  } catch (error) {
    if (late()) return;
    holder.replaceChildren();
    complain(error);
  }
}

byId("show").addEventListener("change", () => go({ view: parts().view, show: byId("show").value }));
byId("find").addEventListener("submit", (event) => {
  event.preventDefault();
  go({ view: parts().view, find: byId("find-words").value.trim() });
});
