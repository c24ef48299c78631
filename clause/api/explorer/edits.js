// Changes, each in a dialog: what is asked, a preview where the service gives one, and the change itself.

import { byId, go, make } from "./place.js";
import { post, write } from "./service.js";
import { button, counts, entries } from "./words.js";

const dialog = byId("edit");

function field({ name, label, options, value = "", required, long }) {
  const own = { name, required, id: `edit-${name}` };
  const entry = options
    ? make("select", own, ...options.map(([code, words]) => make("option", { value: code }, words)))
    : make(long ? "textarea" : "input", { ...own, autocomplete: "off" });
  entry.value = value;
  return make("label", {}, label, entry);
}

/**
 * Ask for a change and make it. Nothing is changed before the last button is pressed; with `preview` that button can be
 * pressed only once the reader has been shown what it would do.
 *
 * @param title what is changed; `say` a sentence about it; `fields` what to ask; `button` the words of the last button
 * @param preview values -> what to show (nodes or text)
 * @param apply values -> makes the change; what it gives is told to `done`
 */
export function edit({ title, say, fields = [], button, preview, apply, done }) {
  const told = make("div", { "aria-live": "polite", class: "preview" });
  const problem = make("p", { role: "alert", class: "bad" });
  const change = make("button", { type: "submit", class: "strong", disabled: Boolean(preview) }, button);
  const values = () => Object.fromEntries(new FormData(form));
  const attempt = async (work) => {
    problem.textContent = "";
    try {
      return await work();
    } catch (error) {
      change.disabled = Boolean(preview);
      problem.textContent = error.message;
      return null;
    }
  };
  let typed = 0;
  const look = () =>
    attempt(async () => {
      const before = typed;
      const seen = [await preview(values())].flat();
      if (typed !== before) return;
      told.replaceChildren(...seen);
      change.disabled = false;
      change.focus();
    });
  const form = make(
    "form",
    { method: "dialog" },
    make("h2", {}, title),
    say ? make("p", { class: "quiet" }, say) : null,
    ...fields.map(field),
    told,
    problem,
    make(
      "p",
      { class: "buttons" },
      preview ? make("button", { type: "button", onclick: () => form.reportValidity() && look() }, "Preview") : null,
      change,
      make("button", { type: "button", onclick: () => dialog.close() }, "Leave it"),
    ),
  );
  form.addEventListener("input", () => {
    if (!preview) return;
    typed += 1;
    change.disabled = true; // what was previewed is no longer what would be done
    told.replaceChildren();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const result = await attempt(() => apply(values()));
    if (result === null) return;
    dialog.close();
    done(result);
  });
  dialog.setAttribute("aria-label", title);
  dialog.replaceChildren(form);
  dialog.showModal();
}

/** Forget one thing for good, once the reader has seen what would go. */
export function forget(what, body, view) {
  return button(
    "Forget …",
    () =>
      edit({
        title: `Forget this ${what} for good`,
        say: "It is erased with every trace of it. This cannot be undone.",
        button: "Forget it",
        preview: async () => {
          const plan = await post("/api/erasures/preview", body);
          return [
            make("p", {}, "Would be erased: ", counts(plan.counts)),
            plan.kept.length ? entries([`Kept: ${plan.kept.join("; ")}`]) : "",
          ];
        },
        apply: () => write("/api/erasures", body),
        done: () => go({ view }),
      }),
    "danger",
  );
}
