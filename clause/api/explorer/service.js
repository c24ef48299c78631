// The API, as this page needs it: ask a question, read a recorded run, judge it. Errors are RFC 9457 problems.

export class Problem extends Error {
  constructor(document) {
    super(document.detail || document.title || "the service did not answer");
    this.field = document.field || null;
    this.bound = document.bound || null;
    this.requestId = document.request_id || null;
  }
}

const PRINTABLE = /^[\x21-\x7e]*$/; // what a header may hold

async function call(path, key, options = {}) {
  if (!PRINTABLE.test(key)) throw new Problem({ detail: "An API key holds letters, digits, - and _ only.", field: "key" });
  const headers = { accept: "application/json", ...(options.body ? { "content-type": "application/json" } : {}) };
  if (key) headers.authorization = `Bearer ${key}`;
  let answer;
  try {
    answer = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: "The service cannot be reached. Does `clause serve` run?" });
  }
  const document = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Problem(answer.status === 401 ? { ...document, field: "key" } : document);
  return document;
}

export function coordinate(request, key, signal) {
  return call("/api/clause/coordinate", key, { method: "POST", body: JSON.stringify(request), signal });
}

export function recordedRun(id, key, signal) {
  return call(`/api/clause/runs/${encodeURIComponent(id)}`, key, { signal });
}

export function calibration(scopes, key) {
  const query = new URLSearchParams(scopes.map((scope) => ["scope", scope]));
  return call(`/api/clause/calibration?${query}`, key);
}

export function feedback(run, given, key) {
  return call(`/api/clause/runs/${encodeURIComponent(run)}/feedback`, key, { method: "POST", body: JSON.stringify(given) });
}
