import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Lake, type LakeOptions, type LakeQuery, openLake, type QueryOutcome } from "../../src/lake/mod.ts";
import { DAY_MS } from "../../src/types/mod.ts";
import { HANG_MS } from "../support/processes.ts";
import { doorConfig, NOON, row } from "./support.ts";
import { TestLake } from "./testLake.ts";

export const MiB = 1024 * 1024;

/** What a door is opened with where a test wants it otherwise. */
interface DoorChanges {
  queryProcesses?: number;
  queryQueueMax?: number;
  queryProjectQueueMax?: number;
  queryMemoryBytes?: number;
  threads?: number;
  walks?: LakeOptions["walks"];
  /** Told of the folder of the door's processes before there are any. */
  prepare?: (run: string) => void;
}

/** Two files, of two projects and of one, and doors to them. `of`: how these are opened where a test does not say otherwise. */
export async function openQueryScene(of: DoorChanges = {}) {
  const stored = await TestLake.open();
  const first = Array.from({ length: 1_000 }, (_, n) => row(n, { teamId: n % 2 === 0 ? 1 : 2 }));
  await stored.store(first);
  const later = Array.from({ length: 100 }, (_, n) => row(2_000 + n, { timestampMs: NOON + 10 * DAY_MS + n }));
  const { id: secondFile } = await stored.store(later);
  let opened = 0;
  /** Another door, where its process ids stand, and what it logs. */
  function open(given: DoorChanges = {}): { door: Lake; run: string; logged: string[] } {
    const { threads, walks, prepare, ...changes } = { ...of, ...given };
    const logged: string[] = [];
    const run = join(stored.runDirectory, String(opened++));
    mkdirSync(run, { recursive: true });
    prepare?.(run);
    const door = openLake({
      config: {
        ...doorConfig(),
        queryProcesses: 2,
        ...changes,
      },
      catalog: stored.catalog,
      storage: stored.storage,
      ...(threads === undefined ? {} : { threads }),
      ...(walks === undefined ? {} : { walks }),
      runDirectory: run,
      log: (line) => logged.push(line),
    });
    return { door, run, logged };
  }
  const { door: lake } = open();
  function ask(sql: string | LakeQuery["sql"], changes: Partial<LakeQuery> = {}, from = lake): Promise<QueryOutcome> {
    return from.query({
      teamId: 1,
      range: { fromMs: null, toMs: null },
      sql: typeof sql === "string" ? () => ({ text: sql, params: [] }) : sql,
      deadlineMs: HANG_MS,
      maxRows: 1_000,
      ...changes,
    });
  }
  async function rows(sql: string | LakeQuery["sql"], changes: Partial<LakeQuery> = {}, from = lake): Promise<unknown> {
    return JSON.parse((await ask(sql, changes, from)).rowsJson);
  }
  async function close(): Promise<void> {
    await lake.close();
    await stored.close();
  }
  return { stored, secondFile, open, ask, rows, close };
}
