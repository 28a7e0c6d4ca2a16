import type { JsonObject } from "../../types/mod.ts";
import type { Fields } from "../fields.ts";
import { RowRejected } from "../types.ts";
import { objectIn, textIn } from "./columns.ts";
import { readTime } from "./isoTime.ts";

/** A row of the persons model of batch exports: what was known of one distinct_id and its person at some time. */
export interface PersonRow {
  distinctId: string;
  personId: string;
  /** Of the row that says which person the distinct_id has: the highest counts. */
  idVersion: number;
  /** Of the person's properties: the highest counts. */
  version: number;
  properties: JsonObject;
  /** ISO 8601 in UTC. */
  createdAt: string | null;
  isDeleted: boolean;
  /** Null where the row does not say so: PostHog's batch exports do not. */
  isIdentified: boolean | null;
}

const TRUE: ReadonlySet<unknown> = new Set([true, 1, "1", "true"]);

/** Throws RowRejected. */
export function readPersonRow(row: Fields): PersonRow {
  for (const name of ["team_id", "_inserted_at", "_timestamp"]) row.take(name);
  const distinctId = textIn(row, "distinct_id");
  if (distinctId === null) throw new RowRejected("no_id", "distinct_id is missing");
  const personId = textIn(row, "person_id");
  if (personId === null) throw new RowRejected("no_id", "person_id is missing");
  return {
    ...{ distinctId, personId },
    isDeleted: TRUE.has(row.take("is_deleted")),
    isIdentified: flagOf(row.take("is_identified")),
    idVersion: versionOf(textIn(row, "person_distinct_id_version")),
    version: versionOf(textIn(row, "person_version")),
    properties: objectIn(row, "properties") ?? {},
    createdAt: createdAtOf(textIn(row, "created_at")),
  };
}

const flagOf = (value: unknown): boolean | null =>
  value === undefined || value === null || value === "" ? null : TRUE.has(value);

function createdAtOf(text: string | null): string | null {
  if (text === null) return null;
  const ms = readTime(text);
  if (ms === null) throw new RowRejected("bad_time", `created_at cannot be read as a time: ${text.slice(0, 60)}`);
  return new Date(ms).toISOString();
}

function versionOf(text: string | null): number {
  const version = Number(text ?? 0);
  return Number.isFinite(version) ? version : 0;
}
