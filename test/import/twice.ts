import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { WEIR } from "../commands/weirProcess.ts";
import { until } from "../support/processes.ts";
import { Random } from "../support/random.ts";
import { TEST_SEED } from "../support/seed.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import {
  expectedByDay,
  expectedPersons,
  historyOf,
  importInto,
  personsIn,
  reportIn,
  storedByDay,
  uuidsByDay,
  writeHistory,
  writeMapping,
} from "./history.ts";

/** What an importer notes of an event that was taken. */
const NOTE_BYTES = 24;

export interface TwiceOptions {
  rows: number;
  /** One while all rows are looked at; the others while they are sent, each when a random share of them was. */
  kills: number;
  /** The limit of each test. */
  withinMs: number;
}

/** One history, imported again and again: each test goes on from the one before. */
export function describeTwice({ rows: ROWS, kills: KILLS, withinMs }: TwiceOptions): void {
  describe(`a history of ${ROWS} rows`, () => {
    let weir: Weir;
    let folder: string;
    let map: string;
    const rows = historyOf(ROWS, TEST_SEED);
    const random = new Random(TEST_SEED);
    beforeAll(async () => {
      weir = await startWeir();
      folder = mkdtempSync(join(tmpdir(), "weir-twice-"));
      map = writeMapping(folder);
    });
    afterAll(async () => {
      await weir[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    /** The folder of the import; null where it has not begun. */
    const stateOf = (): string | null => {
      const imports = join(weir.dataDir, "imports");
      const [id] = existsSync(imports) ? readdirSync(imports) : [];
      return id === undefined ? null : join(imports, id);
    };
    /** Whether it is time for a kill. */
    const isPast = (kills: number, points: readonly number[]): boolean => {
      const state = stateOf();
      if (state === null) return false;
      if (kills === 0) return existsSync(join(state, "survey"));
      const sent = join(state, "sent.bin");
      return existsSync(sent) && statSync(sent).size > points[kills - 1]! * ROWS * NOTE_BYTES;
    };
    let uuids: string[];
    let persons: string[];

    test(
      "is stored once while the importer, the worker and the broker are killed",
      async () => {
        const path = writeHistory(folder, "history.jsonl", rows);
        let argv = ["file", path, "--map", map, "--project", String(weir.environmentId), "--json"];
        let out = "";
        const points = Array.from({ length: KILLS - 1 }, () => random.next()).sort((a, b) => a - b);
        for (let kills = 0; ; kills++) {
          const child = Bun.spawn([WEIR, "import", ...argv], {
            env: { ...process.env, WEIR_DATA_DIR: weir.dataDir },
            stdout: "pipe",
            stderr: "pipe",
          });
          const printed = new Response(child.stdout).text();
          if (kills < KILLS) {
            await until(`kill ${kills}`, withinMs, () => child.exitCode !== null || isPast(kills, points));
            expect([kills, child.exitCode]).toEqual([kills, null]);
            if (kills % 3 === 1) weir.kill9("worker-0");
            if (kills % 3 === 2) weir.kill9("nats-server");
            child.kill("SIGKILL");
          }
          const code = await child.exited;
          out = await printed;
          if (code === 0) break;
          if (kills >= KILLS)
            throw new Error(`the import ended with ${code}: ${await new Response(child.stderr).text()}\n${out}`);
          argv = ["resume", basename(stateOf()!), "--json"];
        }
        const report = reportIn({ out, error: "", code: 0 });
        expect(report).toMatchObject({ rows: ROWS, missing: 0, rejected: 0, leftOut: 0, isWhole: true });
        expect(Number(report.stored) + Number(report.duplicates)).toBe(ROWS);
        expect(await storedByDay(weir)).toEqual(expectedByDay(rows));
        const { results } = await weir.query(
          "select count(), count(distinct person_id) from events where event not like '$%'",
        );
        expect(results).toEqual([[ROWS, 500]]);
        uuids = await uuidsByDay(weir);
        persons = await personsIn(weir);
        expect(persons).toEqual(expectedPersons(rows));
      },
      withinMs,
    );

    test(
      "adds nothing when it comes again",
      async () => {
        const report = reportIn(
          await importInto(weir, ["file", join(folder, "history.jsonl"), "--map", map, "--json"]),
        );
        expect(report).toMatchObject({ rows: ROWS, stored: 0, duplicates: ROWS, missing: 0, isWhole: true });
        expect(report.made).toMatchObject({ stored: 0, missing: 0 });
        expect(await storedByDay(weir)).toEqual(expectedByDay(rows));
        expect(await uuidsByDay(weir)).toEqual(uuids);
        expect(await personsIn(weir)).toEqual(persons);
      },
      withinMs,
    );

    test(
      "adds what is new when it comes in another order, in other files, with late rows",
      async () => {
        const late = historyOf(1_000, TEST_SEED + 1);
        const shuffled = random.shuffle([...rows, ...late]);
        const middle = shuffled.length >> 1;
        writeHistory(folder, "part-1.jsonl", shuffled.slice(0, middle));
        writeHistory(folder, "part-2.jsonl", shuffled.slice(middle));
        const files = ["part-1.jsonl", "part-2.jsonl"].map((name) => join(folder, name));
        const report = reportIn(await importInto(weir, ["file", ...files, "--map", map, "--json"]));
        expect(report).toMatchObject({
          rows: ROWS + 1_000,
          stored: 1_000,
          duplicates: ROWS,
          missing: 0,
          isWhole: true,
        });
        const all = [...rows, ...late];
        expect(await storedByDay(weir)).toEqual(expectedByDay(all));
        expect(await personsIn(weir)).toEqual(expectedPersons(all));
        const { results } = await weir.query(
          "select count(), count(distinct uuid) from events where event not like '$%'",
        );
        expect(results).toEqual([[ROWS + 1_000, ROWS + 1_000]]);
      },
      withinMs,
    );
  });
}
