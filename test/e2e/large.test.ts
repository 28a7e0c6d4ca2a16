import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const LARGE_EVENTS = 300_000;

describe("size and freshness", () => {
  let weir: Weir;
  beforeAll(async () => {
    weir = await startWeir();
  });
  afterAll(() => weir[Symbol.asyncDispose]());

  test("a sent event is in the next answers", async () => {
    for (let i = 1; i <= 3; i++) {
      expect((await weir.capture({ event: "fresh", distinct_id: "x" })).status).toBe(200);
      await until("the event in an answer", HANG_MS, async () => {
        return (await weir.number("SELECT count() FROM events WHERE event = 'fresh'")) === i;
      });
    }
  });

  test("a 19.9 MB batch of 300,000 events is taken and all of it is stored", async () => {
    const minimal = (i: number) =>
      `{"event":"minimal","distinct_id":"user-${String(i).padStart(9, "0")}","properties":{}}`;
    const head = `{"api_key":"${weir.projectKey}","historical_migration":true,"batch":[`;
    const body = `${head}${Array.from({ length: LARGE_EVENTS }, (_, i) => minimal(i)).join(",")}]}`;
    expect(body.length).toBeGreaterThan(19_800_000);
    expect(body.length).toBeLessThan(20 * 1024 * 1024);
    expect((await weir.post("/batch/", body)).status).toBe(200);
    await weir.waitStored();
    const { results } = await weir.query(
      "SELECT count(), count(DISTINCT distinct_id), count(DISTINCT uuid) FROM events WHERE event = 'minimal'",
    );
    expect(results[0]!.map(Number)).toEqual([LARGE_EVENTS, LARGE_EVENTS, LARGE_EVENTS]);
  });

  test("a gzipped batch is the same as a plain one", async () => {
    const body = weir.batchBody(Array.from({ length: 1_000 }, (_, i) => ({ event: "zipped", distinct_id: `z${i}` })));
    expect((await weir.post("/batch", gzipSync(body), { "content-encoding": "gzip" })).status).toBe(200);
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events WHERE event = 'zipped'")).toBe(1_000);
  });
});
