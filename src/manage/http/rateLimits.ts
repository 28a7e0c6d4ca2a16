import { ApiError } from "./errors.ts";
import { isObject } from "./fields.ts";
import type { OpenCall, Route } from "./route.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Limit {
  count: number;
  windowMs: number;
}

/** How many requests one key may make, by what they cost. */
const LIMITS = {
  default: perKey(480, 4800),
  /** Reads that may calculate. */
  calculation: perKey(240, 1200),
  /** HogQL of the caller's own. */
  hogql: [{ count: 120, windowMs: HOUR_MS }],
  values: perKey(60, 300),
} as const satisfies Record<string, readonly Limit[]>;
type Cost = keyof typeof LIMITS;

function perKey(perMinute: number, perHour: number): Limit[] {
  return [
    { count: perMinute, windowMs: MINUTE_MS },
    { count: perHour, windowMs: HOUR_MS },
  ];
}

/** Logs of so many keys are held; the one that was silent longest is forgotten first. */
const MAX_LOGS = 10_000;

/** Counts requests in sliding windows, in this process. */
export class RateLimits {
  private readonly logs = new Map<string, number[]>();

  /** Counts a request of a key, or throws ApiError 429 with `Retry-After`; a refused one does not count. */
  async check(route: Route, call: OpenCall, keyId: string, nowMs: number): Promise<void> {
    const cost = await costOf(route, call);
    const limits = LIMITS[cost];
    const name = `${cost} ${keyId}`;
    const longestMs = Math.max(...limits.map((limit) => limit.windowMs));
    const times = (this.logs.get(name) ?? []).filter((at) => at > nowMs - longestMs);
    for (const { count, windowMs } of limits) {
      // The request that has to leave the window before another one fits in.
      const leaving = times[times.length - count];
      if (leaving !== undefined && leaving > nowMs - windowMs) throw throttled(leaving + windowMs - nowMs);
    }
    times.push(nowMs);
    this.logs.delete(name);
    this.logs.set(name, times);
    if (this.logs.size > MAX_LOGS) this.logs.delete(this.logs.keys().next().value!);
  }
}

function throttled(waitMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const detail = `Request was throttled. Expected available in ${seconds} seconds.`;
  return new ApiError(429, "throttled_error", "throttled", detail, null, { "Retry-After": String(seconds) });
}

const RESOURCE = /^\/api\/(?:projects|environments)\/:project_id\/([a-z_]+)\/(?:([a-z_]+)\/)?/;
const CALCULATED: readonly string[] = ["insights", "events", "persons", "query"];

async function costOf(route: Route, call: OpenCall): Promise<Cost> {
  const [, resource = "", action] = RESOURCE.exec(route.path) ?? [];
  if (!CALCULATED.includes(resource)) return "default";
  if (resource === "events" && action === "values") return "values";
  return resource === "query" && route.method === "POST" && (await isHogQL(call)) ? "hogql" : "calculation";
}

/** Also inside a node that only shows it. A body that cannot be read is for the route to refuse. */
async function isHogQL(call: OpenCall): Promise<boolean> {
  const body = await call.body().catch(() => ({}) as Awaited<ReturnType<OpenCall["body"]>>);
  const node = isObject(body.query) && isObject(body.query.source) ? body.query.source : body.query;
  return isObject(node) && node.kind === "HogQLQuery";
}
