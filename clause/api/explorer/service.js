// The API, as this page needs it. Errors are RFC 9457 problems; nothing is asked of anybody else.

export class Problem extends Error {
  constructor(document) {
    super(document.detail || document.title || "the service did not answer");
    this.status = document.status || 0;
    this.field = document.field || null;
    this.bound = document.bound || null;
    this.requestId = document.request_id || null;
  }
}

const PRINTABLE = /^[\x21-\x7e]*$/; // what a header may hold

const key = () => document.getElementById("key")?.value.trim() || "";

async function call(path, { headers: more, ...options } = {}) {
  const token = key();
  if (!PRINTABLE.test(token)) throw new Problem({ detail: "An API key holds letters, digits, - and _ only.", field: "key" });
  const headers = { accept: "application/json", ...(options.body ? { "content-type": "application/json" } : {}), ...more };
  if (token) headers.authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: "The service cannot be reached. Does `clause serve` run?" });
  }
  const document = await answer.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    if (answer.ok) throw new Problem({ detail: "The answer cannot be read: is it the service that answers?" });
    return {};
  });
  if (!answer.ok) throw new Problem({ status: answer.status, ...document, ...(answer.status === 401 ? { field: "key" } : {}) });
  return document;
}

/** What is at `path`; parameters that are null, empty or no list members are left out. */
export function get(path, parameters = {}, signal) {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((one) => [name, one]) : [[name, value]],
  );
  const query = new URLSearchParams(pairs.filter(([, value]) => value !== null && value !== undefined && value !== ""));
  return call(query.size ? `${path}?${query}` : path, { signal });
}

/** Ask with a body: a search, a preview, an answer. */
export function post(path, body, signal) {
  return call(path, { method: "POST", body: JSON.stringify(body), signal });
}

/** Change something, once; with `version` only what was seen: another's change meanwhile is a refusal. */
export function write(path, body, { version, method = "POST" } = {}) {
  const once = `explorer-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const headers = { "idempotency-key": once, ...(version === undefined ? {} : { "if-match": `"${version}"` }) };
  return call(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

export const at = (path, id) => `${path}/${encodeURIComponent(id)}`;
export const coordinate = (request, signal) => post("/api/clause/coordinate", request, signal);
export const recordedRun = (id, signal) => get(at("/api/clause/runs", id), {}, signal);
export const feedback = (run, given) => write(`${at("/api/clause/runs", run)}/feedback`, given);
export const calibration = (scope) => get("/api/clause/calibration", { scope });
