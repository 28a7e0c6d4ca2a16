import { expect } from "bun:test";
import type { AcceptedEvent, Json, JsonObject } from "../../src/types/mod.ts";
import { NOW_MS, type RecordedBatch, TEAM, TOKEN } from "./launch.ts";

/**
 * The rules of capture, written down a second time and straight from JSON.parse, to judge what a front stores. It shares
 * no code with src/capture.
 */

/** `unsure`: the rules leave it open, or it would take the front's own code to say. */
type Verdict = "stored" | "refused" | "unsure";

const FUTURE_MAX_MS = 23 * 3_600_000;
const PERSON_EVENTS = ["$identify", "$create_alias", "$merge_dangerously", "$groupidentify"];

/** What holds for every stored event, whatever it was made of. */
export function checkEvent(event: AcceptedEvent): void {
  expect(event.teamId).toBe(TEAM);
  expect(event.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  for (const text of [event.event, event.distinctId, event.elementsChain]) {
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain("\0");
  }
  expect(event.event.length).toBeWithin(1, 201);
  expect([...event.distinctId].length).toBeWithin(1, 201);
  expect(event.distinctId.trim()).not.toBe("");
  expect(event.event).not.toBe("$performance_event");
  expect(Number.isInteger(event.timestampMs)).toBe(true);
  expect(event.timestampMs).toBeLessThanOrEqual(NOW_MS + FUTURE_MAX_MS);
  expect(event.timestampMs).toBeGreaterThanOrEqual(Date.UTC(0, 0, 1) - 1901 * 366 * 86_400_000);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(event.properties).not.toMatch(/[\u0000-\u001f]/);
  const properties = JSON.parse(event.properties) as Json;
  expect(isObject(properties)).toBe(true);
  expect(JSON.stringify(properties)).toBe(JSON.stringify(cleaned(properties)));
  expect(Number.isInteger(event.flags) && event.flags >= 0 && event.flags < 8).toBe(true);
  if ((properties as JsonObject).$process_person_profile === false) {
    for (const key of ["$set", "$set_once", "$unset"]) expect(properties as JsonObject).not.toHaveProperty([key]);
  }
}

/** Whether what was stored of a JSON body is what the rules want; the body was answered with success. */
export function checkAgainst(body: Json, path: string, batches: readonly RecordedBatch[]): void {
  const stored = batches.flatMap((batch) => batch.events);
  const dropped = batches.flatMap((batch) => Object.values(batch.dropped)).reduce((sum, n) => sum + n, 0);
  const items = itemsOf(body);
  expect(stored.length + dropped).toBe(items.length);
  if (stored.length > 0) expect(JSON.stringify(body)).toContain(TOKEN);
  let next = 0;
  for (const item of items) {
    const verdict = judge(item, path);
    const candidate = stored[next];
    if (verdict === "refused") continue;
    if (verdict === "stored") {
      expect(candidate).toBeDefined();
      expect(isOf(candidate!, item, path)).toBe(true);
      checkProperties(candidate!, item as JsonObject);
      next++;
    } else if (candidate !== undefined && isOf(candidate, item, path)) next++;
  }
  expect(stored.slice(next)).toEqual([]);
}

function itemsOf(body: Json): Json[] {
  if (Array.isArray(body)) return body;
  return isObject(body) && Array.isArray(body.batch) ? body.batch : [body];
}

function isEngage(path: string): boolean {
  return path.startsWith("/engage");
}

function judge(item: Json, path: string): Verdict {
  if (!isObject(item)) return "refused";
  const properties = item.properties ?? {};
  if (!isObject(properties)) return "refused";
  const name = item.event ?? (isEngage(path) ? "$identify" : null);
  if (typeof name !== "string" || name === "" || name === "$performance_event") return "refused";
  const id = item.distinct_id ?? item.$distinct_id ?? properties.distinct_id ?? null;
  if (id === null || (typeof id === "string" && id.trim() === "")) return "refused";
  const uuid = item.uuid ?? "";
  if (typeof uuid !== "string") return "refused";
  if (uuid !== "" && uuid.replace(/[^0-9a-fA-F]/g, "").length !== 32) return "refused";
  if (!["boolean", "undefined"].includes(typeof (properties.$cookieless_mode ?? undefined))) return "refused";
  if (properties.$process_person_profile === false && PERSON_EVENTS.includes(name)) return "refused";
  const isPlain = typeof id === "string" && cleaned(id) === id && cleaned(name) === name && uuid === "";
  return isPlain && JSON.stringify(item).length < 100_000 ? "stored" : "unsure";
}

function isOf(event: AcceptedEvent, item: Json, path: string): boolean {
  if (!isObject(item)) return false;
  const name = item.event ?? (isEngage(path) ? "$identify" : null);
  if (typeof name !== "string" || !(cleaned(name) as string).startsWith(event.event)) return false;
  const properties = isObject(item.properties) ? item.properties : {};
  const id = item.distinct_id ?? item.$distinct_id ?? properties.distinct_id ?? null;
  return typeof id !== "string" || (cleaned(id) as string).startsWith(event.distinctId);
}

/** Those that mean nothing to the service are kept as they were. */
function checkProperties(event: AcceptedEvent, item: JsonObject): void {
  const stored = JSON.parse(event.properties) as JsonObject;
  for (const [key, value] of Object.entries(isObject(item.properties) ? item.properties : {})) {
    if (key.startsWith("$") || cleaned(key) !== key) continue;
    expect(Object.hasOwn(stored, key)).toBe(true);
    expect(stored[key]).toEqual(cleaned(value) as never);
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without NUL and half surrogate pairs. */
function cleaned(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\ufffd");
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleaned(key) as string, cleaned(member)]));
}
