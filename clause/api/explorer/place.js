// Where the reader is: the view, the scopes, the policy and the question stand in the address; the API key never does.

import { get } from "./service.js";

export const byId = (id) => document.getElementById(id);

export function make(kind, attributes = {}, ...children) {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const parts = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const list = (text) =>
  (text || "")
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);

/** The scopes that are chosen; undefined: all that may be read. */
export function scopes() {
  const chosen = list(parts().scopes);
  return chosen.length ? chosen : undefined;
}

/** The address of a view, with the scopes and the policy of now unless others are given. */
export function address(given) {
  const { scopes: where, policy } = parts();
  const kept = Object.entries({ scopes: where, policy, ...given }).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return `#${new URLSearchParams(kept)}`;
}

export const link = (given, ...children) => make("a", { href: address(given) }, ...children);

/** Go there; `replace` leaves no step back behind. True where the address has changed, and the page follows. */
export function go(given, { replace = false } = {}) {
  const hash = address(given);
  if (hash === location.hash) return false;
  if (replace) {
    history.replaceState(null, "", hash);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = hash;
  return true;
}

let known = [];

/** Ask the service for its scopes and policies; what cannot be had leaves the pickers with what the address names. */
export async function fillPickers() {
  const [found, policies] = await Promise.allSettled([get("/api/scopes"), get("/api/policies")]);
  if (found.status === "fulfilled") known = found.value.items;
  if (policies.status === "fulfilled") {
    const { default: first, at_hand: names } = policies.value;
    const options = names.map((name) => make("option", { value: name }, name));
    byId("policy").replaceChildren(make("option", { value: "" }, `the scope's own (else ${first})`), ...options);
  }
  showPickers();
  const failed = [found, policies].find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** The pickers as the address has them. */
export function showPickers() {
  const chosen = scopes() || [];
  const names = [...new Set([...known, ...chosen])];
  const wanted = byId("find-scope").value.trim().toLowerCase();
  byId("scope-list").replaceChildren(
    ...names.map((name) =>
      make(
        "label",
        { hidden: !name.toLowerCase().includes(wanted) },
        make("input", { type: "checkbox", value: name, checked: chosen.includes(name), onchange: choose }),
        ` ${name}`,
      ),
    ),
  );
  byId("find-scope").hidden = names.length < 8;
  byId("scopes").replaceChildren(
    "Scopes: ",
    make("b", {}, !chosen.length ? "all" : chosen.length > 2 ? `${chosen.length} chosen` : chosen.join(", ")),
  );
  const policy = parts().policy || "";
  if (![...byId("policy").options].some((option) => option.value === policy))
    byId("policy").append(make("option", { value: policy }, policy));
  byId("policy").value = policy;
}

function choose() {
  const ticked = [...byId("scope-list").querySelectorAll("input:checked")].map((box) => box.value);
  const { run, q } = parts();
  const nothing = { id: undefined, scope: undefined, run: undefined, reading: undefined };
  go({ ...parts(), ...nothing, q: run ? byId("query").value : q, scopes: ticked.join(",") }, { replace: true });
}

export function listenToPickers() {
  byId("find-scope").addEventListener("input", showPickers);
  byId("policy").addEventListener("change", () => go({ ...parts(), run: undefined, policy: byId("policy").value }, { replace: true }));
  byId("key").addEventListener("change", () => {
    const told = byId("problem").textContent;
    fillPickers().then(
      () => byId("problem").textContent === told && complain(null), // what was told since is not about the old key
      (error) => complain(error, { asked: false }),
    );
  });
  for (const picker of document.querySelectorAll(".picker")) {
    document.addEventListener("click", (event) => {
      if (!picker.contains(event.target)) picker.open = false;
    });
    picker.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" && event.key !== "Enter") return;
      if (event.key === "Enter" && event.target.tagName === "SUMMARY") return;
      picker.open = false;
      picker.querySelector("summary").focus();
    });
  }
}

/** Tell what went wrong, and mark the field it is about; null takes it back. Unasked, it leaves the focus where it is. */
export function complain(error, { asked = true } = {}) {
  byId("problem").textContent = error ? `${error.message}${error.bound ? ` (${error.bound})` : ""}` : "";
  for (const field of document.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  const field = error?.field && byId(error.field.split(".").at(-1));
  if (!field) return;
  if (asked) field.closest("details")?.setAttribute("open", "");
  field.setAttribute("aria-invalid", "true");
  if (asked) field.focus();
}
