/**
 * A migration, in a process of its own: `migration.ts URL KEY EVENTS events|merges|years [CONNECTIONS]`. Sends batches marked as historical
 * until all are acknowledged; prints one line of JSON. `years`: events of the last three, in no order.
 */
import { randomUUID } from "node:crypto";
import { eventSource } from "./events.ts";

const DAY_MS = 86_400_000;
const BATCH_EVENTS = 1_000;
const CONNECTIONS = "2";
const RETRY_PAUSE_MS = 100;

function mergeSource(): () => string {
  const timestamp = new Date(Date.now() - 30 * DAY_MS).toISOString();
  return () =>
    `{"uuid":"${randomUUID()}","event":"$identify","distinct_id":"${randomUUID()}","timestamp":"${timestamp}",` +
    `"properties":{"$anon_distinct_id":"${randomUUID()}","of":"a migration"}}`;
}

function sourceOf(mode: string | undefined): () => string {
  if (mode === "merges") return mergeSource();
  if (mode === "years") return eventSource(Date.now, 3 * 365 * DAY_MS).next;
  return eventSource(() => Date.now() - 30 * DAY_MS).next;
}

async function main([url, key, count, mode, connections = CONNECTIONS]: string[]): Promise<{ elapsedMs: number }> {
  let left = Number(count);
  const next = sourceOf(mode);
  const startedAt = performance.now();
  const connection = async () => {
    while (left > 0) {
      const size = Math.min(BATCH_EVENTS, left);
      left -= size;
      const events = Array.from({ length: size }, next).join(",");
      const body = `{"api_key":"${key}","historical_migration":true,"batch":[${events}]}`;
      for (;;) {
        const response = await fetch(`${url}/batch/`, { method: "POST", body });
        await response.arrayBuffer();
        if (response.status === 200) break;
        if (response.status < 500) throw new Error(`a batch was refused with ${response.status}`);
        await Bun.sleep(RETRY_PAUSE_MS);
      }
    }
  };
  await Promise.all(Array.from({ length: Number(connections) }, connection));
  return { elapsedMs: Math.round(performance.now() - startedAt) };
}

console.log(JSON.stringify(await main(process.argv.slice(2))));
