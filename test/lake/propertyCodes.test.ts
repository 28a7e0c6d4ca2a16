import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { KeyedPlaces } from "../../src/lake/walking/statement.ts";
import { askingOf, journeyOf, lastLocation } from "./journeyScene.ts";
import { openQueryScene } from "./queryScene.ts";

let scene: Awaited<ReturnType<typeof openQueryScene>>;
beforeAll(async () => {
  scene = await openQueryScene({ queryProcesses: 1, walks: { leastRows: 0, rangeRows: 4, asksBeforeKept: 1 } });
});
afterAll(() => scene.close());

const JOURNEY = journeyOf(4, ["first", "second"]);
/** The rows of the first person. These are others than `keyed` tells, so that one sees which of the two was asked. */
const places = { text: "select i::ubigint as place from range(2) r(i)", params: [] };
const keyed = (key: string, rows: string): KeyedPlaces => ({
  key,
  rows: { text: rows, params: [] },
  told: { text: "select code from journey_values where k0 = 'odd' or n0 = 2", params: [] },
});
const ODD = "select i::ubigint as place, case when (i // 2) % 2 = 1 then 'odd' end as value from range(8) r(i)";

describe("values of a property", () => {
  test("are kept from the second walk on that asks for them", async () => {
    const { door } = scene.open();
    const count = async (rows: string) => {
      const files = [{ location: lastLocation(scene), isStale: false }];
      const sql = await askingOf(scene, [], { files, persons: 4, places, keyed: keyed("plan", rows) });
      return scene.rows(sql, {}, door);
    };
    await askingOf(scene, [JOURNEY]);
    expect(await count(ODD)).toEqual([[1]]);
    expect(await count(ODD)).toEqual([[2]]);
    expect(await count("select error('read again')::ubigint as place, '' as value")).toEqual([[2]]);
    // Another file has other rows.
    await askingOf(scene, [JOURNEY]);
    expect(await count(ODD)).toEqual([[1]]);
    expect(await count(ODD.replace("'odd'", "'2.0'"))).toEqual([[2]]);
    await door.close();
  });

  test("are asked for row by row where they are too many", async () => {
    const { door } = scene.open();
    const many = "select (i % 8)::ubigint as place, i::varchar as value from range(70000) r(i)";
    const sql = await askingOf(scene, [JOURNEY], { places, keyed: keyed("id", many) });
    for (let again = 0; again < 3; again++) expect(await scene.rows(sql, {}, door)).toEqual([[1]]);
    await door.close();
  });

  test("may have no row, or nothing but an empty text", async () => {
    const { door } = scene.open();
    for (const rows of [ODD.replace("'odd'", "null::varchar"), ODD.replace("'odd'", "''")]) {
      const told = { text: "select code from journey_values where k0 is null or k0 = 'none'", params: [] };
      const sql = await askingOf(scene, [JOURNEY], { places, keyed: { ...keyed("empty", rows), told } });
      expect(await scene.rows(sql, {}, door)).toEqual([[1]]);
      expect(await scene.rows(sql, {}, door)).toEqual([[rows.includes("null::") ? 4 : 2]]);
    }
    await door.close();
  });
});
