import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { type Config, loadConfig } from "../../src/config.ts";
import type { LiveSegment, Relations, SegmentFacts, SegmentWriter, Written } from "../../src/lake/mod.ts";
import type { TypedColumn } from "../../src/lake/typed/mod.ts";
import type { SegmentOrigin } from "../../src/lake/writing/segmentWriter.ts";
import type { EventRow } from "../../src/types/mod.ts";

/** A folder that `dispose` removes. */
export function tempFolder(): { path: string; dispose(): void } {
  const path = mkdtempSync(join(tmpdir(), "weir-lake-"));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

/** The settings of a small door. */
export function doorConfig(): Config {
  const sizes = { queryMemoryBytes: 512 * 1024 ** 2, queryMaxResultBytes: 1024 ** 2 };
  return { ...loadConfig({}), queryProcesses: 1, ...sizes };
}

/** A UUID that belongs to a number. */
export function uuidOf(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

export const NOON = Date.UTC(2024, 0, 10, 12);

/** A plain row; `n` makes it differ from others. */
export function row(n: number, changes: Partial<EventRow> = {}): EventRow {
  return {
    teamId: 1,
    uuid: uuidOf(n),
    event: "purchase",
    distinctId: `user-${n % 7}`,
    personId: uuidOf(1_000_000 + (n % 7)),
    timestampMs: NOON + n,
    createdAtMs: NOON + 60_000,
    lane: "live",
    ordinal: n,
    properties: `{"n":${n}}`,
    elementsChain: "",
    flags: 0,
    ...changes,
  };
}

export function live(facts: SegmentFacts, liveFrom = 1): LiveSegment {
  return { ...facts, liveFrom, erasedThrough: 0, failures: 0 };
}

/** All events with their persons and properties. */
export function allEvents(relations: Relations): string {
  return relations.events({ persons: true, properties: true, keys: [] }, textConstant);
}

/** A text as SQL, for statements without parameters. */
export function textConstant(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Runs SQL on a DuckDB of its own and gives rows of plain JSON values. */
export async function sql(text: string): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "2" })).connect();
  const reader = await connection.runAndReadAll(text);
  return reader.getRowsJson();
}

/** Writes events alone, as one segment. */
export async function writeEvents(
  writer: SegmentWriter,
  id: string,
  rows: readonly EventRow[],
  o: { origin: SegmentOrigin; columns?: readonly TypedColumn[] },
): Promise<Written<EventRow>> {
  const { columns = [] } = o;
  const { events } = await writer.writeFlush({ events: [{ id, rows, columns }], log: null }, o.origin);
  return events[0]!;
}
