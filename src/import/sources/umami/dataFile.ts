import { Database } from "bun:sqlite";
import { parseExact, stringifyExact } from "../../exact.ts";
import { Properties } from "../../mapping/mod.ts";
import type { DataOfEvents, Datum } from "./eventData.ts";

/**
 * Writes what `event_data` and `revenue` say into a file in which the properties of an event can be looked up: there may be more of them than memory holds.
 * What stands twice is there once.
 */
export async function writeData(path: string, batches: AsyncIterable<readonly Datum[]>): Promise<void> {
  const file = new Database(path, { create: true });
  try {
    // The file is renamed into its place when it is whole.
    file.run("pragma journal_mode = off");
    file.run("pragma synchronous = off");
    file.run("create table data (event text not null, key text not null, value text not null)");
    const insert = file.prepare("insert into data values (?, ?, ?)");
    file.run("begin");
    for await (const batch of batches) {
      for (const { eventId, key, value } of batch) insert.run(eventId.toLowerCase(), key, stringifyExact(value));
    }
    file.run("commit");
    file.run("create index by_event on data (event)");
  } finally {
    file.close();
  }
}

/** Looks properties up in such a file. Of values that contradict each other the last in the order of their texts counts. */
export function openData(path: string): DataOfEvents {
  const file = new Database(path, { readonly: true });
  const find = file.query<{ key: string; value: string }, [string]>(
    "select key, max(value) as value from data where event = ? group by key",
  );
  return (eventId) => {
    const properties = new Properties();
    for (const { key, value } of find.all(eventId.toLowerCase())) properties.set(key, parseExact(value));
    return properties;
  };
}
