import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { failure, hogql } from "./support.ts";

const START = Date.parse("2024-01-01T00:00:00Z");
const NOW = START + 30 * DAY_MS;

let lake: MemoryLake;
beforeAll(async () => {
  const at = (distinctId: string, event: string, minutes: number) => ({
    distinctId,
    event,
    timestampMs: START + minutes * 60_000,
    properties: { plan: `${event}-${minutes}` },
  });
  lake = await MemoryLake.open([
    at("ann", "see", 0),
    at("ann", "try", 1),
    at("ann", "buy", 2),
    at("bob", "see", 0),
    at("bob", "buy", 5),
    at("bob", "try", 100),
    at("cat", "try", 0),
    at("cat", "buy", 1),
  ]);
});
afterAll(() => lake.close());

const STEPS = "toInt(event = 'see') + 2 * toInt(event = 'try') + 4 * toInt(event = 'buy') AS steps";
const ask = async (query: string) => (await hogql(lake, query, { nowMs: NOW })).results;

describe("walkFunnel", () => {
  test("finds how far each actor came, and when", async () => {
    const rows = `SELECT distinct_id AS actor, timestamp, ${STEPS} FROM events`;
    expect(await ask(`SELECT * FROM walkFunnel((${rows}), 'ordered', 3, 3600) ORDER BY actor`)).toEqual([
      ["ann", 3, "2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z", "2024-01-01T00:02:00Z"],
      ["bob", 1, "2024-01-01T00:00:00Z", null, null],
    ]);
  });

  test("takes persons", async () => {
    const rows = `SELECT person_id AS actor, timestamp, ${STEPS} FROM events`;
    expect(
      await ask(
        `SELECT reached, count() FROM walkFunnel((${rows}), 'ordered', 3, 86400) GROUP BY reached ORDER BY reached`,
      ),
    ).toEqual([
      [2, 1],
      [3, 1],
    ]);
  });

  test("reads names of WITH", async () => {
    const rows = `SELECT distinct_id AS actor, timestamp, ${STEPS} FROM some`;
    const query = `WITH some AS (SELECT * FROM events WHERE distinct_id = 'ann') SELECT actor, reached FROM walkFunnel((${rows}), 'ordered', 3, 3600)`;
    expect(await ask(query)).toEqual([["ann", 3]]);
  });

  test("refuses what it does not know", async () => {
    expect(await failure(ask("SELECT * FROM walkFunnel((SELECT 1 AS actor), 'ordered', 3, 3600)"))).toMatchObject({
      code: "invalid_hogql",
    });
  });
});
