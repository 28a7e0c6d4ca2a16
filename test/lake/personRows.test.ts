import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Relations, verifyErased, verifyFiles } from "../../src/lake/mod.ts";
import { idOf, TEAM } from "./people/support.ts";
import { flushOf, happenings, IDS, Told } from "./people/told.ts";
import { NOON, row, sql, textConstant } from "./support.ts";
import { TestLake } from "./testLake.ts";

let lake: TestLake;
let told: Told;
beforeEach(async () => {
  lake = await TestLake.open();
  told = new Told(lake);
});
afterEach(() => lake.close());

const SUFFIX = "persons.parquet";
const pathOf = ({ id }: { id: string }, suffix = SUFFIX, at = lake) => join(at.directory, `${id}.${suffix}`);
const options = () => ({ catalog: lake.catalog, storage: lake.storage, memoryLimitBytes: 256 << 20 });
const problems = async () => (await verifyFiles(options())).problems;
const live = async (at = lake) => (await at.catalog.segmentChanges(0)).added.filter(({ kind }) => kind === "events");

/** Files of one form with rows in order of person, by id. */
const copied = async (at = lake) => (await live(at)).filter(({ hasPersonRows }) => hasPersonRows);

const eventsOf = (r: Relations, id: string, properties = true) =>
  r.events({ persons: true, properties, keys: [["n"]], person: idOf(id) }, textConstant);

/** Ordinals of a person's events as a question about this person alone reads them. */
async function ofPerson(id: string, at = lake): Promise<unknown[][]> {
  const where = `where person_id = '${idOf(id)}' order by ordinal`;
  return at.ask(TEAM, (r) => `select ordinal, properties, n0 from ${eventsOf(r, id)} ${where}`);
}

/** Which kinds of files such a question reads. */
async function suffixesOf(id: string, at = lake): Promise<string[]> {
  let text = "";
  await at.ask(TEAM, (r) => {
    text = eventsOf(r, id);
    return "select 1";
  });
  return [...new Set([...text.matchAll(/\/lake\/[^'.]*\.([^']*)'/g)].map(([, suffix]) => suffix!))].sort();
}

/** What there is of each person now, whoever they were when it happened. */
function expected({ events, survivors }: Told, id: string): unknown[][] {
  return events
    .filter(({ distinctId }) => survivors.get(distinctId) === id)
    .map(({ ordinal, properties }) => [String(ordinal), properties, JSON.parse(properties).n] as const)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map((cells) => [...cells]);
}

describe("rows in order of person", () => {
  test("tell of each person what the events tell, whatever was stored, merged, deleted and compacted", async () => {
    let used = 0;
    await fc.assert(
      fc.asyncProperty(happenings, async (list) => {
        const fresh = await TestLake.open();
        try {
          const told = new Told(fresh);
          await told.begin();
          for (const each of list) {
            await told.happen(each);
            if ((await copied(fresh)).length > 0) used++;
            for (const id of IDS) expect(await ofPerson(id, fresh)).toEqual(expected(told, id));
          }
          const o = { catalog: fresh.catalog, storage: fresh.storage, memoryLimitBytes: 256 << 20 };
          expect((await verifyFiles(o)).problems).toEqual([]);
        } finally {
          await fresh.close();
        }
      }),
      { numRuns: 6 },
    );
    expect(used).toBeGreaterThan(0);
  });

  test("are the rows of the segment, each once, by person, the newest first", async () => {
    await told.begin();
    const [segment] = await copied();
    const columns = `team_id, uuid, event, distinct_id, person_id, "timestamp", created_at, p0, rest, ordinal, person_number`;
    const rows = await sql(`select ${columns} from '${pathOf(segment!, "parquet")}' order by uuid`);
    expect(rows).toHaveLength(800);
    expect(await sql(`select ${columns} from '${pathOf(segment!)}' order by uuid`)).toEqual(rows);
    const order = await sql(
      `select person_id, epoch_ms("timestamp"), uuid, person_key from read_parquet('${pathOf(segment!)}', file_row_number = true)
       order by file_row_number`,
    );
    const newestFirst = order.toSorted(([a, at, one], [b, bt, other]) =>
      a !== b ? (String(a) < String(b) ? -1 : 1) : Number(bt) - Number(at) || (String(other) < String(one) ? -1 : 1),
    );
    expect(order).toEqual(newestFirst);
    for (const [person, , , key] of order) expect(key).toBe(Number.parseInt(String(person).slice(0, 8), 16));
  });

  test("are read instead of the rows where they lie beside them, and only for a question about one person", async () => {
    await told.begin();
    expect(await suffixesOf("a")).toEqual([SUFFIX]);
    await told.store(flushOf(["a"], 10));
    expect(await suffixesOf("a")).toEqual(["parquet", SUFFIX]);
    let text = "";
    await lake.ask(TEAM, (r) => {
      text = r.events({ persons: true, properties: true, keys: [] }, textConstant);
      return "select 1";
    });
    expect(text).not.toContain(SUFFIX);
    expect(await ofPerson("a")).toEqual(expected(told, "a"));
    expect(await ofPerson("h")).toEqual([]);
  });

  test("follow merges and deletions before their file is written again", async () => {
    await told.begin();
    await told.merge("a", "c");
    await told.merge("c", "b");
    expect(await suffixesOf("b")).toContain(SUFFIX);
    expect((await ofPerson("b")).length).toBe(800);
    expect(await ofPerson("b")).toEqual(expected(told, "b"));
    expect(await ofPerson("a")).toEqual([]);
    await told.erase("b");
    expect(await ofPerson("b")).toEqual([]);
    while (await told.compact());
    expect(await ofPerson("b")).toEqual([]);
    expect(await problems()).toEqual([]);
  });

  test("are counted, checked and removed with their segment", async () => {
    await told.begin();
    const [segment] = await copied();
    const path = pathOf(segment!);
    expect(await problems()).toEqual([]);
    const good = (await Bun.file(path).bytes()).slice();
    const changed = async (change: string) => {
      await sql(`copy (${change}) to '${path}' (format parquet)`);
      const files = ["parquet", "keys", "activity.parquet", "journey", SUFFIX];
      const sizeBytes = files.reduce((sum, suffix) => sum + Bun.file(pathOf(segment!, suffix)).size, 0);
      await lake.db.write(
        (tx) => tx`update segments set checksum = '', size_bytes = ${sizeBytes} where id = ${segment!.id}`,
      );
      return problems();
    };
    const kept = join(lake.runDirectory, "good");
    const rows = `from read_parquet('${kept}')`;
    await Bun.write(kept, good);
    const differs = [{ id: segment!.id, problem: "persons" }];
    expect(await changed(`select * ${rows}`)).toEqual([]);
    expect(await changed(`select * ${rows} limit 799`)).toMatchObject(differs);
    expect(await changed(`select * ${rows} union all (select * ${rows} limit 1)`)).toMatchObject(differs);
    expect(await changed(`select * replace ('x' as distinct_id) ${rows}`)).toMatchObject(differs);
    expect(await changed(`select * replace ((person_key + 1)::uinteger as person_key) ${rows}`)).toMatchObject(differs);
    await Bun.file(path).delete();
    expect(await problems()).toMatchObject([{ id: segment!.id, problem: "missing" }]);
    await changed(`select * ${rows}`);
    await told.erase("a");
    const places = async () =>
      (await verifyErased(options())).leftovers.map(({ place }) => place.replace(/^[^.]*\./, ""));
    expect(await places()).toContain(SUFFIX);
    while (await told.compact());
    await lake.compactor().collect();
    expect(existsSync(path)).toBe(false);
    expect(await places()).toEqual([]);
  });

  test("are not beside files without numbers, which are read as ever", async () => {
    await lake.store(Array.from({ length: 20 }, (_, n) => row(n, { distinctId: "a", personId: idOf("a") })));
    await lake.store(Array.from({ length: 20 }, (_, n) => row(20 + n, { teamId: 1 + (n % 2), personId: idOf("a") })));
    const compactor = lake.compactor();
    while (await compactor.step());
    expect((await live()).map((segment) => existsSync(pathOf(segment)))).toEqual([false]);
    expect(await ofPerson("a")).toHaveLength(30);
  });

  test("are written by and by beside files from before there were any, which answer until then", async () => {
    await told.begin();
    const [segment] = await copied();
    expect(await lake.catalog.dueForBackfill(0)).toBeNull();
    await lake.db.write((tx) => tx`update segments set has_person_rows = null where id = ${segment!.id}`);
    expect(await copied()).toEqual([]);
    expect(await suffixesOf("a")).toEqual(["parquet"]);
    expect(await ofPerson("a")).toEqual(expected(told, "a"));
    expect(await lake.catalog.dueForBackfill(0)).toBe(segment!.id);
    while (await told.compact());
    expect(await copied()).toHaveLength(1);
    expect(await suffixesOf("a")).toEqual([SUFFIX]);
    expect(await ofPerson("a")).toEqual(expected(told, "a"));
  });

  test("can be turned off: copies go away with the next merge, and come back by and by", async () => {
    await told.begin();
    expect(await copied()).toHaveLength(1);
    const merge = async (compactPersonRows: boolean) => {
      const config = {
        compactTargetBytes: 16 << 10,
        compactMs: 0,
        squashMs: 0,
        eraseMs: 0,
        backfillBytesPerMinute: 1e9,
      };
      const compactor = lake.compactor({ ...config, compactPersonRows });
      while (await compactor.step());
      await compactor.collect();
    };
    await lake.db.write((tx) => tx`update segments set has_journey = null where kind = 'events'`);
    await merge(false);
    expect(await copied()).toEqual([]);
    expect((await live()).every(({ isNumbered }) => isNumbered)).toBe(true);
    expect((await live()).some((segment) => existsSync(pathOf(segment)))).toBe(false);
    expect(await ofPerson("a")).toEqual(expected(told, "a"));
    expect(await problems()).toEqual([]);
    await merge(true);
    expect(await copied()).toHaveLength((await live()).length);
    expect(await suffixesOf("a")).toEqual([SUFFIX]);
    expect(await ofPerson("a")).toEqual(expected(told, "a"));
    expect(await problems()).toEqual([]);
  });

  test("have few row groups that hold a person's rows, by the statistics of the key", async () => {
    const ids = IDS.map((id) => ({ id, event: "seen" }));
    for (let flush = 0; flush < 2; flush++) {
      await told.store(Array.from({ length: 6_000 }, (_, i) => ({ ...ids[i % 8]!, timestampMs: NOON + i })));
    }
    const compactor = lake.compactor({ compactTargetBytes: 4 << 20, compactMs: 0 });
    while (await compactor.step());
    const [segment] = await copied();
    const groups = await sql(
      `select stats_min_value::bigint, stats_max_value::bigint from parquet_metadata('${pathOf(segment!)}')
       where path_in_schema = 'person_key' order by row_group_id`,
    );
    expect(groups.length).toBeGreaterThan(1);
    for (let i = 1; i < groups.length; i++)
      expect(Number(groups[i]![0])).toBeGreaterThanOrEqual(Number(groups[i - 1]![1]));
  });
});
