import {
  Fields,
  type First,
  type ImportedEvent,
  type Mapped,
  RowRejected,
  type Source,
} from "../../../src/import/mod.ts";
import type { Json, JsonObject } from "../../../src/types/mod.ts";

/** Maps rows as an import would, by the stage that takes a file of this name. */
export function mapper<O>(source: Source<O>, options: O, file: string): (row: JsonObject) => Mapped {
  const stage = source.stages.find(({ formatOf }) => formatOf(file, options) !== null);
  if (stage === undefined) throw new Error(`${source.name} takes no file ${file}`);
  return (row) => stage.map(new Fields(row), options);
}

/** The event of a row; fails where there is none. */
export function eventOf(mapped: Mapped): ImportedEvent {
  if (!("event" in mapped)) throw new Error(`no event: ${JSON.stringify(mapped)}`);
  return mapped.event;
}

export function firstsOf(mapped: Mapped): readonly First[] {
  return "firsts" in mapped ? (mapped.firsts ?? []) : [];
}

/** The reason for which a row is rejected; null where it is not. */
export function reasonOf(map: (row: JsonObject) => Mapped, row: JsonObject): string | null {
  try {
    map(row);
    return null;
  } catch (error) {
    if (error instanceof RowRejected) return error.reason;
    throw error;
  }
}

/** A member of an event's properties that is an object. */
export function objectIn(event: ImportedEvent, name: string): JsonObject {
  return (event.properties[name] ?? {}) as JsonObject;
}

/** As a row comes out of a file. */
export function parsed(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

export type Row = { [name: string]: Json };
