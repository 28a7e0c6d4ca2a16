import { isObject } from "../http/fields.ts";
import { type Limit, SlidingLog } from "../http/slidingLog.ts";
import type { OpenCall, Route } from "./route.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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

/** Counts requests in sliding windows, in this process. */
export class RateLimits {
  private readonly log = new SlidingLog();

  /** Counts a request of a key, or throws ApiError 429 with `Retry-After`; a refused one does not count. */
  async check(route: Route, call: OpenCall, keyId: string, nowMs: number): Promise<void> {
    const cost = await costOf(route, call);
    this.log.check(`${cost} ${keyId}`, LIMITS[cost], nowMs);
  }
}

const RESOURCE = /^\/api\/(?:projects|environments)\/:project_id\/([a-z_]+)\/(?:([a-z_]+)\/)?/;
const CALCULATED: readonly string[] = ["insights", "events", "persons", "query"];

async function costOf(route: Route, call: OpenCall): Promise<Cost> {
  const [, resource = "", action] = RESOURCE.exec(route.path) ?? [];
  if (!CALCULATED.includes(resource)) return "default";
  if (action === "values") return "values";
  return resource === "query" && route.method === "POST" && (await isHogQL(call)) ? "hogql" : "calculation";
}

/** Also inside a node that only shows it. A body that cannot be read is for the route to refuse. */
async function isHogQL(call: OpenCall): Promise<boolean> {
  const body = await call.body().catch(() => ({}) as Awaited<ReturnType<OpenCall["body"]>>);
  const node = isObject(body.query) && isObject(body.query.source) ? body.query.source : body.query;
  return isObject(node) && node.kind === "HogQLQuery";
}
