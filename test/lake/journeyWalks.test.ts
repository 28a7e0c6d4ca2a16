import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Journey } from "../../src/lake/journeys/mod.ts";
import type { LakeQuery } from "../../src/lake/mod.ts";
import { askingOf, BASE_MS, COUNT, type Held, journeyOf, lastLocation } from "./journeyScene.ts";
import { MiB, openQueryScene } from "./queryScene.ts";

let scene: Awaited<ReturnType<typeof openQueryScene>>;

const asking = (journeys: readonly Journey[], held: Partial<Held> & { isStale?: boolean } = {}, text = COUNT) =>
  askingOf(scene, journeys, held, text);

const TWO = ["first", "second"];
const REACHED = "select c1, count(*) from walk0 group by 1 order by 1";

describe.each([1, 2, 4])("a walk over journeys with %i threads", (threads) => {
  beforeAll(async () => {
    scene = await openQueryScene({ threads, walks: { leastRows: 0, rangeRows: 65_536, asksBeforeKept: 0 } });
  });
  afterAll(() => scene.close());

  test("takes each person's rows of all files", async () => {
    const later = { ...journeyOf(3, ["second"]), baseMs: BASE_MS + 5_000 };
    expect(await scene.rows(await asking([later, journeyOf(5, ["first"])], {}, REACHED))).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });

  test("reads no row of another time", async () => {
    const within = { fromMs: BASE_MS, toMs: BASE_MS + 999 };
    expect(await scene.rows(await asking([journeyOf(4, TWO)], within, REACHED))).toEqual([[1, 4]]);
    const none = { fromMs: BASE_MS + 1, toMs: BASE_MS + 999 };
    expect(await scene.rows(await asking([journeyOf(4, TWO)], none))).toEqual([[0]]);
  });

  test("gives persons who have become others the rows of these", async () => {
    const journey = journeyOf(4, ["first"]);
    const later = { ...journeyOf(4, ["second"]), baseMs: BASE_MS + 5_000, persons: Uint32Array.of(4, 5, 6, 7) };
    const moved = `(select * from (values (6, 1, null::uuid), (7, null, '00000000-0000-0000-0000-000000000001'::uuid)) m(moved, number, unnumbered))`;
    const text = "select c0.number, c0.id is null, c1 from walk0 order by 1, 2";
    const sql = await asking([journey, later], { moved, hasUnnumbered: true, isStale: true }, text);
    expect(await scene.rows(sql)).toEqual([
      [0, true, 1],
      [1, true, 2],
      [2, true, 1],
      [3, true, 1],
    ]);
  });

  test("finds each person once, however many there are", async () => {
    const found = "select c1, count(*), count(distinct c0) from walk0 group by 1";
    const sql = await asking([journeyOf(100_000, TWO), journeyOf(100_000, TWO)], {}, found);
    for (let again = 0; again < 3; again++) expect(await scene.rows(sql)).toEqual([[2, 100_000, 100_000]]);
  });

  test("walks over one person with a million events", async () => {
    const events = Array.from({ length: 1_000_000 }, (_, i) => (i === 999_999 ? "second" : "first"));
    const { door: one } = scene.open({ queryProcesses: 1, queryMemoryBytes: 256 * MiB });
    const whole = await asking([journeyOf(1, events)], {}, REACHED);
    expect(await scene.rows(whole, {}, one)).toEqual([[2, 1]]);
    await one.close();
  });

  test("fails as its statements do, however late", async () => {
    const late =
      "select case when i > 900000 then error('late')::ubigint else i % 4 end as place, 1 as steps from range(1000000) r(i)";
    const failing: Partial<Held>[] = [
      { names: null, places: { text: late, params: [] } },
      { places: { text: late.replace(", 1 as steps", ""), params: [] } },
      { names: { text: "select nonsense from journey_names", params: [] } },
    ];
    for (const held of failing) {
      const sql = await asking([journeyOf(4, TWO)], held);
      await expect(scene.ask(sql)).rejects.toMatchObject({ code: "query_failed" });
    }
    expect(await scene.rows(await asking([journeyOf(4, TWO)]))).toEqual([[4]]);
  });

  test("names a file that is damaged or gone to the log alone", async () => {
    const { door: one, logged } = scene.open({ queryProcesses: 1 });
    const sql = await asking([journeyOf(4, TWO)]);
    const location = lastLocation(scene);
    const bytes = await Bun.file(location).bytes();
    for (const damaged of [
      bytes.slice(0, bytes.length - 1),
      new Uint8Array(),
      new TextEncoder().encode("no journey"),
    ]) {
      await Bun.write(location, damaged);
      const asked = scene.ask(sql, {}, one);
      await expect(asked).rejects.toMatchObject({ code: "segment_unreadable" });
      await expect(asked).rejects.not.toThrow(location);
      expect(logged.join("\n")).toContain(location);
    }
    await one.close();
  });

  test("ends when it is cancelled in the middle of it", async () => {
    const { door: one } = scene.open({ queryProcesses: 1 });
    const journey = journeyOf(100_000, TWO);
    const sql = await asking([journey]);
    const long: LakeQuery["sql"] = (relations) => {
      const statement = sql(relations);
      const [walk] = statement.walks!;
      const files = Array.from({ length: 300 }, () => walk!.journeys!.files[0]!);
      return { ...statement, walks: [{ ...walk!, journeys: { ...walk!.journeys!, files } }] };
    };
    const controller = new AbortController();
    const asked = scene.ask(long, { signal: controller.signal }, one);
    setTimeout(() => controller.abort(), 300);
    await expect(asked).rejects.toMatchObject({ code: "query_cancelled" });
    expect(await scene.rows(await asking([journeyOf(4, TWO)]), {}, one)).toEqual([[4]]);
    await one.close();
  });

  test("ends when it is cancelled", async () => {
    const { door: one } = scene.open({ queryProcesses: 1 });
    const places = { text: "select i % 4 as place from range(3000000000) r(i)", params: [] };
    const sql = await asking([journeyOf(4, TWO)], { places });
    const controller = new AbortController();
    const asked = scene.ask(sql, { signal: controller.signal }, one);
    setTimeout(() => controller.abort(), 300);
    await expect(asked).rejects.toMatchObject({ code: "query_cancelled" });
    expect(await scene.rows(await asking([journeyOf(4, TWO)]), {}, one)).toEqual([[4]]);
    await one.close();
  });
});
