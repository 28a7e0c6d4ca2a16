import { type Json, type JsonObject, parseUuid } from "../../../types/mod.ts";
import { digitsOf, isObject, numberAsWritten, parseExact } from "../../exact.ts";
import type { Fields } from "../../fields.ts";
import { needName } from "../../mapping/mod.ts";
import { objectIn } from "../../reading/mod.ts";
import { type First, type ImportedEvent, type Mapped, RowRejected } from "../../types.ts";
import { uuidFrom, uuidOf } from "../../uuid.ts";
import { canonicalJson } from "./canonical.ts";
import type { ColumnType, Mapping } from "./mapping.ts";
import { readTime } from "./time.ts";

/** A value by the name of a column; of `a.b` that has no such column: the member `b` of `a`. */
function taken(row: Fields, column: string): Json | undefined {
  if (Object.hasOwn(row.row, column)) return row.take(column);
  const dot = column.indexOf(".");
  if (dot <= 0) return row.take(column);
  let value: Json | undefined = row.take(column.slice(0, dot));
  for (const part of column.slice(dot + 1).split(".")) {
    value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

/** Of texts, numbers and truth values; null for nothing and for what is none of these. */
function textOf(value: unknown): string | null {
  if (typeof value === "string") return value === "" ? null : value;
  return typeof value === "boolean" ? String(value) : digitsOf(value);
}

/** Maps a row. `isText`: all its values are texts, so numbers among them are found. Throws RowRejected. */
export function mapRow(row: Fields, mapping: Mapping, isText: boolean): Mapped {
  for (const { column, values, isNot } of mapping.drop) {
    const text = textOf(taken(row, column)) ?? "";
    if (values.has(text) !== isNot)
      return { leftOut: `"${column}" is ${isNot ? "not one of" : "one of"} ${[...values].join(", ")}` };
  }
  const atMs = timeOf(row, mapping);
  const named = { event: needName(nameOf(row, mapping)), distinct_id: idOf(row, mapping) };
  const timestamp = new Date(atMs).toISOString();
  const id = mapping.uuid === null ? null : textOf(taken(row, mapping.uuid));
  const firsts = linkOf(row, mapping, atMs);
  const properties = propertiesOf(row, mapping, isText);
  const event: Omit<ImportedEvent, "uuid"> = { ...named, timestamp, properties };
  const uuid =
    id === null ? uuidOf("weir/file", canonicalJson(event)) : (parseUuid(id) ?? uuidFrom("weir/file-id", id));
  return { event: { uuid, ...event }, firsts, isNumbered: id === null };
}

function timeOf(row: Fields, { timestamp }: Mapping): number {
  const value = taken(row, timestamp.column);
  if (value === undefined || value === null || value === "") {
    throw new RowRejected("no_time", `There is nothing in "${timestamp.column}".`);
  }
  const ms = readTime(value, timestamp);
  if (Math.abs(ms) > 8.64e15) throw new RowRejected("bad_time", "The time is outside of the years 0 to 9999.");
  return ms;
}

function nameOf(row: Fields, { event }: Mapping): string {
  if ("constant" in event) return event.constant;
  if ("column" in event) {
    const text = textOf(taken(row, event.column));
    if (text === null) throw new RowRejected("no_event", `There is nothing in "${event.column}".`);
    return text;
  }
  return event.template.replaceAll(/\{([^{}]+)\}/g, (_whole, column: string) => {
    const text = textOf(taken(row, column));
    if (text === null) throw new RowRejected("no_event", `There is nothing in "${column}".`);
    return text;
  });
}

function idOf(row: Fields, { distinctId }: Mapping): string {
  let found: string | null = null;
  // All are taken, so that none of them counts as unused.
  for (const column of distinctId) found ??= textOf(taken(row, column));
  for (const column of distinctId) taken(row, column);
  if (found === null)
    throw new RowRejected("no_id", `There is nothing in ${distinctId.map((column) => `"${column}"`).join(", ")}.`);
  return found;
}

function linkOf(row: Fields, { link }: Mapping, atMs: number): First[] {
  if (link === null) return [];
  const anonymous = textOf(taken(row, link.anonymous));
  const user = textOf(taken(row, link.user));
  if (anonymous === null || user === null || anonymous === user) return [];
  return [
    {
      key: `identify ${JSON.stringify([user, anonymous])}`,
      atMs,
      event: {
        uuid: uuidOf("weir/identify", user, anonymous),
        event: "$identify",
        distinct_id: user,
        properties: { $anon_distinct_id: anonymous },
      },
      link: { device: anonymous, user },
    },
  ];
}

function propertiesOf(row: Fields, mapping: Mapping, isText: boolean): JsonObject {
  const read = (column: string): Json | undefined => {
    const value = taken(row, column);
    return value === undefined || value === null ? undefined : typed(value, mapping.types.get(column), isText);
  };
  const objects = (columns: ReadonlyMap<string, string>): JsonObject => {
    const found: JsonObject = {};
    for (const [name, column] of columns) put(found, name, read(column));
    return found;
  };
  const set = objects(mapping.set);
  const setOnce = objects(mapping.setOnce);
  const groups: JsonObject = {};
  for (const [type, column] of mapping.groups) put(groups, type, textOf(taken(row, column)) ?? undefined);
  const properties = spreadIn(row, mapping);
  const give = (column: string) => put(properties, mapping.rename.get(column) ?? column, read(column));
  const rule = mapping.properties;
  const without = new Set(rule?.without);
  for (const column of rule?.names ?? []) give(column);
  if (rule === null) for (const column of row.unused()) give(column);
  else if (rule.all)
    for (const column of Object.keys(row.row)) if (!without.has(column) && !rule.spread.includes(column)) give(column);
  if (rule !== null) for (const column of without) row.take(column);
  if (Object.keys(set).length > 0) properties.$set = merged(set, properties.$set);
  if (Object.keys(setOnce).length > 0) properties.$set_once = merged(setOnce, properties.$set_once);
  if (Object.keys(groups).length > 0) properties.$groups = merged(groups, properties.$groups);
  return mapping.isAsSent ? withBeside(row, properties) : properties;
}

/** What stands beside the properties wins, as where clients send it. */
function withBeside(row: Fields, properties: JsonObject): JsonObject {
  for (const name of ["$set", "$set_once"]) {
    const beside = objectOf(row.take(name));
    if (Object.keys(beside).length > 0) properties[name] = merged(beside, properties[name]);
  }
  return properties;
}

/** The members of columns that are spread. */
function spreadIn(row: Fields, { properties: rule, rename }: Mapping): JsonObject {
  if (rule === null) return {};
  const { spread, without } = rule;
  const [only] = spread;
  // The usual case: an object that is made of properties already. It is the row's own, which nothing reads after this.
  if (spread.length === 1 && without.length === 0 && rename.size === 0) return objectOf(taken(row, only!));
  const found: JsonObject = {};
  for (const column of spread) {
    for (const [name, value] of Object.entries(objectOf(taken(row, column)))) {
      if (!without.includes(name)) put(found, rename.get(name) ?? name, value);
    }
  }
  return found;
}

const merged = (members: JsonObject, present: Json | undefined): JsonObject =>
  isObject(present) ? { ...present, ...members } : members;

function put(object: JsonObject, name: string, value: Json | undefined): void {
  if (value === undefined) return;
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

function objectOf(value: Json | undefined): JsonObject {
  if (isObject(value)) return value;
  return typeof value === "string" && value.startsWith("{") ? objectIn(value) : {};
}

/** A value as its type says; without one as it is, but numbers and truth values are found in rows of texts. */
function typed(value: Json, type: ColumnType | undefined, isText: boolean): Json | undefined {
  if (type === undefined) return isText && typeof value === "string" ? plainValue(value) : value;
  const text = textOf(value);
  switch (type) {
    case "text":
      return text ?? canonicalJson(value);
    case "number":
      return text === null || !NUMBER.test(text.trim()) ? value : numberAsWritten(text.trim());
    case "boolean":
      return text === null ? value : (TRUTHS.get(text.trim().toLowerCase()) ?? value);
    case "json":
      return typeof value === "string" ? jsonOr(value) : value;
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const TRUTHS = new Map<string, boolean>([
  ["true", true],
  ["t", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["f", false],
  ["no", false],
  ["0", false],
]);

/** Numbers keep their digits, so `1.50` stays that; `007` and very long ones are texts. */
function plainValue(text: string): Json {
  if (text === "true") return true;
  if (text === "false") return false;
  const first = text.charCodeAt(0);
  if (text.length > 15 || (first !== 45 && (first < 48 || first > 57))) return text;
  return PLAIN_NUMBER.test(text) ? numberAsWritten(text) : text;
}

function jsonOr(text: string): Json {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
