import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { BucketOptions } from "../../../bucket/mod.ts";
import { isJsonObject, type Json, type JsonObject, parseUuid, UsageError } from "../../../types/mod.ts";
import { Fields } from "../../fields.ts";
import { inputsOf, Reader } from "../../reading/mod.ts";
import { RowRejected } from "../../types.ts";
import { mapRow } from "./event.ts";
import { formatOf, isCsv } from "./formats.ts";
import { mappingIn } from "./mapping.ts";
import { readTime } from "./time.ts";

const ROWS = 1_000;
const SHOWN = 3;

export interface Inspected {
  file: string;
  mapping: JsonObject;
  /** Rows under the mapping, or why one is rejected. */
  examples: JsonObject[];
}

/** Names that columns often have, the best first. */
const NAMES = {
  event: ["event", "event_name", "eventname", "event_type", "name", "action", "type", "kind"],
  timestamp: [
    "timestamp",
    "time",
    "ts",
    "event_time",
    "event_timestamp",
    "created_at",
    "createdat",
    "occurred_at",
    "datetime",
    "date",
  ],
  user: [
    "distinct_id",
    "user_id",
    "userid",
    "uid",
    "customer_id",
    "account_id",
    "email",
    "user",
    "person_id",
    "customer",
    "client",
    "member",
    "account",
  ],
  anonymous: [
    "anonymous_id",
    "anonymousid",
    "anon_id",
    "device_id",
    "deviceid",
    "visitor_id",
    "client_id",
    "session_id",
  ],
  uuid: ["uuid", "event_id", "eventid", "insert_id", "$insert_id", "message_id", "messageid", "id"],
  set: ["email", "plan", "first_name", "last_name", "full_name", "company"],
};

/**
 * How times are often written that are no ISO 8601, without and with a clock; of two that fit all values the first. Months come before days
 * only with slashes.
 */
const DAYS = ["%Y%m%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y"];
const FORMATS: readonly (string | null)[] = [null, ...DAYS.flatMap((day) => [day, `${day} %H:%M`, `${day} %H:%M:%S`])];

/** Guesses what the columns of the first file mean. Throws UsageError. */
export async function inspect(words: readonly string[], s3: BucketOptions): Promise<Inspected> {
  const inputs = await inputsOf(words, s3);
  const input = inputs.find(({ name }) => formatOf(basename(name)) !== null);
  if (input === undefined) throw new UsageError("There is no CSV, JSON or Parquet file.");
  const scratch = mkdtempSync(join(tmpdir(), "weir-inspect-"));
  const stop = new AbortController();
  const rows: JsonObject[] = [];
  try {
    const reader = new Reader(input, { format: formatOf(basename(input.name))!, scratch, signal: stop.signal });
    reading: for await (const batch of reader.rows()) {
      for (const row of batch) {
        if (rows.length === ROWS) break reading;
        try {
          rows.push(row.value());
        } catch (error) {
          if (!(error instanceof RowRejected)) throw error;
        }
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  if (rows.length === 0) throw new UsageError(`${input.name} has no rows that can be read.`);
  const mapping = guess(rows, isCsv(input.name));
  return {
    file: input.name,
    mapping,
    examples: rows.slice(0, SHOWN).map((row) => mapped(row, mapping, isCsv(input.name))),
  };
}

function mapped(row: JsonObject, mapping: JsonObject, isText: boolean): JsonObject {
  try {
    const result = mapRow(new Fields(row), mappingIn(mapping), isText);
    return "event" in result ? { ...result.event } : {};
  } catch (error) {
    if (error instanceof RowRejected) return { rejected: error.reason, message: error.message };
    throw error;
  }
}

function guess(rows: readonly JsonObject[], isText: boolean): JsonObject {
  const columns = new Columns(rows);
  const event = columns.named(NAMES.event, (value) => typeof value === "string" && value.length <= 200);
  const format = FORMATS.find((format) => columns.named(NAMES.timestamp, isTimeAs(format)) !== null) ?? null;
  const timestamp = columns.named(NAMES.timestamp, isTimeAs(format)) ?? columns.find(isTimeAs(null));
  const anonymous = columns.named(NAMES.anonymous, isId);
  const known = columns.named(NAMES.user, isId);
  // An `id` beside others is that of the row, where each row has its own; alone it says whose the row is.
  const user = known ?? (anonymous === null ? columns.named(["id"], isId) : null);
  const uuidNames = NAMES.uuid.filter((name) => name !== user?.toLowerCase());
  const uuid = columns.named(uuidNames, isId, true) ?? columns.find(isUuid, { isUnique: true, besides: user });
  const ids = [user, anonymous].filter((column) => column !== null);
  const nested = ["properties", "props", "event_properties"].filter((column) => columns.all(column, isObject));
  const set = NAMES.set.filter((column) => column !== user && columns.has(column));
  const used = [timestamp, uuid, event, ...ids, ...nested].filter((column) => column !== null);
  return {
    event: event ?? "=imported event",
    distinct_id: ids.length === 0 ? ["user_id"] : ids,
    timestamp:
      timestamp === null
        ? { column: "timestamp", format: "iso", zone: "UTC" }
        : timeRule(timestamp, format, rows, isText),
    ...(uuid !== null && { uuid }),
    properties: ["*", ...used.map((column) => `-${column}`), ...nested.map((column) => `${column}.*`)],
    ...(set.length > 0 && { set }),
    ...(user !== null && anonymous !== null && anonymous !== "session_id" && { link: { anonymous, user } }),
  };
}

function timeRule(column: string, format: string | null, rows: readonly JsonObject[], isText: boolean): Json {
  if (format !== null) return { column, format, zone: "UTC" };
  const value = rows.find((row) => row[column] !== undefined)?.[column];
  const hasZone =
    typeof value !== "string" || /(?:Z|UTC|[+-]\d\d:?\d\d)$/i.test(value) || (isText && /^\d+$/.test(value));
  return hasZone ? column : { column, format: "iso", zone: "UTC" };
}

const isObject = (value: Json): boolean =>
  isJsonObject(value) || (typeof value === "string" && /^\{.*\}$/s.test(value));

const isId = (value: Json): boolean => ["string", "number", "bigint"].includes(typeof value);

const isUuid = (value: Json): boolean => typeof value === "string" && parseUuid(value) !== null;

/** Of the years 1990 to 2100, so that a number of something is no time. */
function isTimeAs(format: string | null): (value: Json) => boolean {
  return (value) => {
    try {
      const ms = readTime(value, { format, zone: "UTC" });
      return ms > Date.UTC(1990, 0, 1) && ms < Date.UTC(2100, 0, 1);
    } catch {
      return false;
    }
  };
}

/** Columns of some rows. */
class Columns {
  private readonly names: string[];

  constructor(private readonly rows: readonly JsonObject[]) {
    this.names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  }

  has(column: string): boolean {
    return this.names.includes(column);
  }

  private values(column: string): Json[] {
    return this.rows.flatMap((row) => (row[column] === undefined || row[column] === null ? [] : [row[column]]));
  }

  /** Whether all values of a column, of which there are some, pass; `isUnique`: and none comes twice. */
  all(column: string, passes: (value: Json) => boolean, isUnique = false): boolean {
    const values = this.values(column);
    if (values.length === 0 || !values.every(passes)) return false;
    return !isUnique || new Set(values.map(String)).size === values.length;
  }

  /** The column with the best of these names, in any case. */
  named(wanted: readonly string[], passes: (value: Json) => boolean, isUnique = false): string | null {
    for (const name of wanted) {
      const column = this.names.find((known) => known.toLowerCase() === name);
      if (column !== undefined && this.all(column, passes, isUnique)) return column;
    }
    return null;
  }

  find(passes: (value: Json) => boolean, o: { isUnique?: boolean; besides?: string | null } = {}): string | null {
    return this.names.find((column) => column !== o.besides && this.all(column, passes, o.isUnique)) ?? null;
  }
}
