import { expect, test } from "bun:test";
import { rollingRestart } from "../bench/restarts.ts";

/** After these a client tries again, SDKs too. */
const RETRIED = ["503", "no answer"];

test("a rolling restart of every role under load: nothing lost or twice, and no answer that ends a retry", async () => {
  const { events, restarts } = await rollingRestart();
  console.log(JSON.stringify({ events, restarts }));
  expect(events).toBeGreaterThan(1_000);
  for (const { role, failedCaptures, failedReads } of restarts) {
    const seen = [...Object.keys(failedCaptures), ...Object.keys(failedReads)];
    expect({ role, unexpected: seen.filter((what) => !RETRIED.includes(what)) }).toEqual({ role, unexpected: [] });
  }
}, 600_000);
