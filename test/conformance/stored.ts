import { type Difference, differences, type Json, type JsonObject, STORED_RULES } from "./match.ts";
import type { Check, Scene } from "./scene.ts";
import { personChecks, personOf, type StoredPersons } from "./storedPersons.ts";

export interface ThenStored {
  events?: StoredEvent[];
  persons?: StoredPersons;
  uniquePersons?: { events: string[]; count: number };
  groups?: {
    exists?: { type: string; key: string; properties?: JsonObject }[];
    absent?: { type: string; key: string }[];
  };
  warning?: string;
}

interface StoredEvent {
  event?: string;
  distinct_id?: string;
  anyEvent?: boolean;
  count?: number;
  eventNameLength?: number;
  properties?: JsonObject;
  propertiesPresent?: string[];
  propertiesAbsent?: string[];
  timestamp?: string;
  timestampPrefix?: string;
  timestampApprox?: { offsetMs: number; toleranceMs: number };
  uuid?: string;
  uuidMatches?: string;
  personMode?: string;
  personOf?: string;
  groupKey?: Record<string, string>;
}

/** Every part is looked at, whatever becomes of the others. */
export async function checkStored(scene: Scene, wanted: ThenStored): Promise<Difference[]> {
  const checks: [string, () => Check][] = [
    ...(wanted.events ?? []).map((event, i): [string, () => Check] => [
      `events[${i}]`,
      () => checkEvent(scene, event, `events[${i}]`),
    ]),
    ...personChecks(scene, wanted.persons ?? {}),
    ["uniquePersons", () => checkUniquePersons(scene, wanted.uniquePersons)],
    ["groups", () => checkGroups(scene, wanted.groups ?? {})],
    ["warning", () => checkWarning(scene, wanted.warning)],
  ];
  const found: Difference[] = [];
  for (const [path, check] of checks) {
    found.push(...(await check().catch((error: Error) => [{ path, expected: "an answer", got: error.message }])));
  }
  return found;
}

async function checkEvent(scene: Scene, wanted: StoredEvent, path: string): Check {
  const { service, project } = scene;
  const conditions: string[] = [];
  const values: JsonObject = {};
  if (wanted.event !== undefined && !wanted.anyEvent) {
    conditions.push("event = {event}");
    values.event = wanted.event;
  }
  if (wanted.distinct_id !== undefined) {
    conditions.push("distinct_id = {distinct_id}");
    values.distinct_id = wanted.distinct_id;
  }
  const where = conditions.join(" and ");
  const count = Number((await service.rows(project, `select count() from events where ${where}`, values))[0]?.[0]);
  const found: Difference[] = [];
  if (wanted.count !== undefined && count !== wanted.count) {
    found.push({ path: `${path}.count`, expected: wanted.count, got: count });
  }
  if (count === 0 || wanted.count === 0) return found;
  const columns = ["uuid", "event", "properties", "timestamp"];
  if (wanted.personMode !== undefined) columns.push("person_mode");
  if (wanted.personOf !== undefined) columns.push("person_id");
  const rows = await service.rows(project, `select ${columns.join(", ")} from events where ${where}`, values);
  for (const row of rows) {
    const event = Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null]));
    found.push(...(await checkRow(scene, wanted, event, path)));
    if (found.length > 0) break;
  }
  return found;
}

async function checkRow(scene: Scene, wanted: StoredEvent, row: JsonObject, path: string): Check {
  const found: Difference[] = [];
  const check = (name: string, expected: unknown, got: unknown, isMet: boolean) => {
    if (!isMet) found.push({ path: `${path}.${name}`, expected, got });
  };
  const properties = (typeof row.properties === "string" ? JSON.parse(row.properties) : row.properties) as JsonObject;
  const iso = new Date(String(row.timestamp)).toISOString();
  const { timestamp, timestampPrefix, timestampApprox: approx } = wanted;
  if (wanted.properties) found.push(...differences(wanted.properties, properties, `${path}.properties`, STORED_RULES));
  for (const key of wanted.propertiesPresent ?? []) check(`properties.${key}`, "present", undefined, key in properties);
  for (const key of wanted.propertiesAbsent ?? []) {
    check(`properties.${key}`, "absent", properties[key], !(key in properties));
  }
  if (timestamp !== undefined) check("timestamp", timestamp, iso, Date.parse(timestamp) === Date.parse(iso));
  if (timestampPrefix !== undefined) check("timestamp", timestampPrefix, iso, iso.startsWith(timestampPrefix));
  if (approx !== undefined) {
    const offMs = Date.parse(iso) - approx.offsetMs;
    const isNear = offMs >= scene.sent.fromMs - approx.toleranceMs && offMs <= scene.sent.toMs + approx.toleranceMs;
    check("timestamp", approx, `${iso}, ${offMs - scene.sent.fromMs} ms off`, isNear);
  }
  if (wanted.eventNameLength !== undefined) {
    check("event", `${wanted.eventNameLength} long`, row.event, String(row.event).length === wanted.eventNameLength);
  }
  if (wanted.uuid !== undefined) check("uuid", wanted.uuid, row.uuid, row.uuid === wanted.uuid);
  if (wanted.uuidMatches !== undefined) {
    check("uuid", wanted.uuidMatches, row.uuid, new RegExp(wanted.uuidMatches).test(String(row.uuid)));
  }
  if (wanted.personMode !== undefined) {
    check("person_mode", wanted.personMode, row.person_mode, row.person_mode === wanted.personMode);
  }
  if (wanted.personOf !== undefined) {
    const person = await personOf(scene, wanted.personOf);
    check("person_id", `the person of ${wanted.personOf}: ${person}`, row.person_id, row.person_id === person);
  }
  for (const [type, key] of Object.entries(wanted.groupKey ?? {})) {
    const property = `$group_${scene.groupTypes.indexOf(type)}`;
    check(`properties.${property}`, key, properties[property], properties[property] === key);
  }
  return found;
}

async function checkUniquePersons(scene: Scene, wanted: ThenStored["uniquePersons"]): Check {
  if (wanted === undefined) return [];
  const values: JsonObject = Object.fromEntries(wanted.events.map((event, i) => [`e${i}`, event]));
  const where = wanted.events.map((_, i) => `event = {e${i}}`).join(" or ");
  const query = `select count(distinct person_id) from events where ${where}`;
  const got = Number((await scene.service.rows(scene.project, query, values))[0]?.[0]);
  return got === wanted.count ? [] : [{ path: "uniquePersons", expected: wanted.count, got }];
}

async function checkGroups(scene: Scene, wanted: NonNullable<ThenStored["groups"]>): Check {
  const read = async ({ type, key }: { type: string; key: string }): Promise<Json[] | undefined> => {
    const query = "select properties from groups where index = {index} and key = {key}";
    const values = { index: scene.groupTypes.indexOf(type), key };
    return (await scene.service.rows(scene.project, query, values))[0];
  };
  const found: Difference[] = [];
  for (const group of wanted.exists ?? []) {
    const row = await read(group);
    const path = `groups.${group.type}.${group.key}`;
    if (row === undefined) found.push({ path, expected: "a group", got: "none" });
    else if (group.properties !== undefined) {
      const properties = (typeof row[0] === "string" ? JSON.parse(row[0]) : row[0]) as Json;
      found.push(...differences(group.properties, properties, path, STORED_RULES));
    }
  }
  for (const group of wanted.absent ?? []) {
    const row = await read(group);
    if (row !== undefined) found.push({ path: `groups.${group.type}.${group.key}`, expected: "no group", got: row });
  }
  return found;
}

async function checkWarning({ service, project }: Scene, type: string | undefined): Check {
  if (type === undefined) return [];
  const { results } = await service.need("GET", `/api/environments/${project.id}/ingestion_warnings/?limit=1000`);
  const types = [...new Set((results as JsonObject[]).map((warning) => String(warning.type)))];
  return types.includes(type) ? [] : [{ path: "warning", expected: type, got: types }];
}
