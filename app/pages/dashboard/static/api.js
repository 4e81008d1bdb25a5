// Calls of the public API: JSON in, JSON out; a problem (RFC 9457) becomes an Error with its fields.

export class Problem extends Error {
  /**
   * @param {number} status
   * @param {{title?: string, detail?: string, type?: string, errors?: {detail: string}[]}} body
   * @param {number | null} [retrySeconds] after which the same call may be answered
   */
  constructor(status, body, retrySeconds = null) {
    const details = (body.errors ?? []).map((one) => one.detail).join(" ");
    super([body.title ?? `The service answered ${status}`, body.detail ?? details].filter(Boolean).join(": "));
    this.status = status;
    this.type = body.type ?? "";
    this.retrySeconds = retrySeconds;
  }
}

/** Answers by address with their ETags: an unchanged answer is not sent again. */
const known = new Map();
const MOST_KNOWN = 50;

/**
 * @param {string} path
 * @param {{method?: string, body?: unknown, signal?: AbortSignal, ifMatch?: string | null}} [options]
 * ifMatch: the ETag of what the body was made from
 */
export async function call(path, { method = "GET", body, signal, ifMatch = null } = {}) {
  const seen = known.get(path);
  const before = method === "GET" ? seen : undefined;
  const headers = new Headers({ Accept: "application/json" });
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (before) headers.set("If-None-Match", before.etag);
  // What has changed since it was seen stays.
  const changed = ifMatch ?? (method === "DELETE" ? seen?.etag : null);
  if (changed) headers.set("If-Match", changed);
  const answer = await fetch(path, {
    method,
    headers,
    signal,
    cache: "no-store",
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.status === 304 && before) return before.body;
  const text = await answer.text();
  const read = text ? parse(text) : null;
  if (!answer.ok) throw new Problem(answer.status, read ?? {}, readRetry(answer.headers.get("Retry-After")));
  const etag = answer.headers.get("ETag");
  if (method === "GET" && etag) remember(path, { etag, body: read });
  return read;
}

/** The ETag of an address as it was answered last. @param {string} path @returns {string | null} */
export const findTag = (path) => known.get(path)?.etag ?? null;

/** Seconds of a Retry-After; null: none is given. @param {string | null} text */
const readRetry = (text) => (text && /^\d+$/.test(text) ? Number(text) : null);

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { title: "The answer is not JSON", detail: text.slice(0, 200) };
  }
}

/** @param {string} path @param {{etag: string, body: unknown}} answer */
function remember(path, answer) {
  known.delete(path);
  known.set(path, answer);
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value);
}

/** The address of a topology's part. @param {string} name @param {string} [part] */
export const at = (name, part = "") => `/v1/topologies/${encodeURIComponent(name)}${part}`;
