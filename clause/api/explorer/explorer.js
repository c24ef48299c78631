// The page: which view the address names, and the pickers that all views share.

import { showAsk } from "./ask.js";
import { VIEWS } from "./lists.js";
import { byId, complain, fillPickers, link, listenToPickers, make, parts, showPickers } from "./place.js";
import { showView } from "./views.js";

const nav = byId("views");
let last = null;

function route() {
  const given = parts();
  const view = VIEWS[given.view] ? given.view : "ask";
  const titles = { ask: "Ask", ...Object.fromEntries(Object.entries(VIEWS).map(([name, { title }]) => [name, title])) };
  const held = nav.contains(document.activeElement);
  nav.replaceChildren(
    ...Object.entries(titles).map(([name, title]) => {
      const entry = link(name === "ask" ? {} : { view: name }, title);
      if (name === view) entry.setAttribute("aria-current", "page");
      return make("li", {}, entry);
    }),
  );
  const here = nav.querySelector("[aria-current]");
  here.scrollIntoView({ block: "nearest", inline: "center" });
  if (held) here.focus();
  showPickers();
  byId("asking").hidden = view !== "ask";
  byId("listing").hidden = view === "ask";
  document.title = `${titles[view]} · clause explorer`;
  if (view === "ask") showAsk(given);
  else showView(view, given, last?.view !== given.view || last?.id !== given.id);
  last = given;
}

listenToPickers();
addEventListener("hashchange", route);
fillPickers().then(route, (error) => {
  route();
  complain(error, { asked: document.activeElement === document.body });
});
