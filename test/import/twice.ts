import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WEIR } from "../commands/weirProcess.ts";
import { Random } from "../support/random.ts";
import { TEST_SEED } from "../support/seed.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { expectedByDay, historyOf, importInto, reportIn, storedByDay, writeHistory, writeMapping } from "./history.ts";

export interface TwiceOptions {
  rows: number;
  kills: number;
  /** From one kill to the next: least and most. */
  pauseMs: [number, number];
  /** The limit of each test. */
  withinMs: number;
}

/** One history, imported again and again: each test goes on from the one before. */
export function describeTwice({ rows: ROWS, kills: KILLS, pauseMs, withinMs }: TwiceOptions): void {
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
    }, 90_000);
    afterAll(async () => {
      await weir[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    test(
      "is stored once while the importer, the worker and the broker are killed",
      async () => {
        const path = writeHistory(folder, "history.jsonl", rows);
        let argv = ["file", path, "--map", map, "--project", String(weir.environmentId), "--json"];
        let out = "";
        for (let kills = 0; ; kills++) {
          const child = Bun.spawn([WEIR, "import", ...argv], {
            env: { ...process.env, WEIR_DATA_DIR: weir.dataDir },
            stdout: "pipe",
            stderr: "pipe",
          });
          const printed = new Response(child.stdout).text();
          if (kills < KILLS) {
            await Promise.race([child.exited, Bun.sleep(random.int(...pauseMs))]);
            if (kills % 3 === 1) weir.kill9("worker-0");
            if (kills % 3 === 2) weir.kill9("nats-server");
            child.kill("SIGKILL");
          }
          const code = await child.exited;
          out = await printed;
          if (code === 0) break;
          if (kills >= KILLS)
            throw new Error(`the import ended with ${code}: ${await new Response(child.stderr).text()}\n${out}`);
          const imports = join(weir.dataDir, "imports");
          const [id] = existsSync(imports) ? readdirSync(imports) : [];
          if (id !== undefined) argv = ["resume", id, "--json"];
        }
        const report = reportIn({ out, error: "", code: 0 });
        expect(report).toMatchObject({ rows: ROWS, missing: 0, rejected: 0, leftOut: 0, isWhole: true });
        expect(Number(report.stored) + Number(report.duplicates)).toBe(ROWS);
        expect(await storedByDay(weir)).toEqual(expectedByDay(rows));
        const { results } = await weir.query(
          "select count(), count(distinct person_id) from events where event not like '$%'",
        );
        expect(results).toEqual([[ROWS, 500]]);
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
      },
      withinMs,
    );

    test(
      "adds what is new when it comes in another order, in other files, with late rows",
      async () => {
        const late = historyOf(1_000, TEST_SEED + 1);
        const shuffled = random.shuffle([...rows, ...late]);
        writeHistory(folder, "part-1.jsonl", shuffled.slice(0, 15_000));
        writeHistory(folder, "part-2.jsonl", shuffled.slice(15_000));
        const files = ["part-1.jsonl", "part-2.jsonl"].map((name) => join(folder, name));
        const report = reportIn(await importInto(weir, ["file", ...files, "--map", map, "--json"]));
        expect(report).toMatchObject({
          rows: ROWS + 1_000,
          stored: 1_000,
          duplicates: ROWS,
          missing: 0,
          isWhole: true,
        });
        expect(await storedByDay(weir)).toEqual(expectedByDay([...rows, ...late]));
      },
      withinMs,
    );
  });
}
