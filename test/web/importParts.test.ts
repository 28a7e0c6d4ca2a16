import { describe, expect, test } from "bun:test";
import { SOURCE_NAMES } from "../../src/import/sources/mod.ts";
import { commandOf, SOURCES } from "../../src/web/app/pages/imports/commands.ts";
import { figuresOf, silentMs } from "../../src/web/app/pages/imports/figures.ts";

const WITHOUT = { rows: 0, stored: 0, duplicates: 0, rejected: 0, leftOut: 0, persons: 0, made: 0, missing: 0 };

describe("the figures of an import", () => {
  test("are read from its notes, from its report, and from anything else", () => {
    const notes = { rows: 9, sent: 7, made: 3, stored: 5, duplicates: null, rejected: 2, share: 0.25 };
    expect(figuresOf({ state: "sending", counts: notes })).toMatchObject({
      ...{ ...WITHOUT, rows: 9, made: 3, stored: 5, rejected: 2, share: 0.25, isWhole: null, rejects: [] },
    });
    const report = { rows: 9, stored: 6, missing: 1, made: { sent: 4, missing: 2 }, isWhole: false, share: 1 };
    expect(figuresOf({ state: "completed", counts: report })).toMatchObject({
      ...{ ...WITHOUT, rows: 9, stored: 6, made: 4, missing: 3, share: null, isWhole: false },
    });
    const odd = { rows: "9", rejectedBy: [1], leftOutBy: "x", made: null, share: "all", isWhole: 1 };
    expect(figuresOf({ state: "sending", counts: odd })).toEqual({
      ...{ ...WITHOUT, share: null, isWhole: null, rejects: [], leftOutBy: [] },
    });
  });

  test("have the rejects by reason, the most frequent first, with what examples there are", () => {
    const counts = {
      rejectedBy: { no_id: 1, bad_time: 4, constructor: 2 },
      rejectExamples: { bad_time: [{ place: "a:1", message: "no time", raw: "x" }, 5], no_id: "none" },
    };
    expect(figuresOf({ state: "sending", counts }).rejects).toEqual([
      { reason: "bad_time", rows: 4, examples: [{ place: "a:1", message: "no time", raw: "x" }] },
      { reason: "constructor", rows: 2, examples: [] },
      { reason: "no_id", rows: 1, examples: [] },
    ]);
  });

  test("say that nothing was heard of one that should be at work", () => {
    const at = Date.parse("2026-05-01T10:00:00Z");
    const one = (state: "sending" | "paused") => ({ state, updated_at: "2026-05-01T10:00:00Z" }) as never;
    expect([0, 59_999, 60_000].map((ms) => silentMs(one("sending"), at + ms))).toEqual([null, null, 60_000]);
    expect(silentMs(one("paused"), at + 1e9)).toBeNull();
  });
});

test("every source has a command for each way, with the secrets in the environment", () => {
  expect(SOURCES.map(({ key }) => key)).toEqual([...SOURCE_NAMES]);
  for (const source of SOURCES) {
    for (const way of source.ways) {
      const wish = { source, way, host: "https://weir.example", projectId: 7 };
      const command = commandOf({ ...wish, isDryRun: false });
      expect(command).toStartWith("export WEIR_API_KEY=…\n");
      expect(command).toContain(`weir import ${source.key} ${way.words} \\\n  --project 7 --url https://weir.example`);
      for (const name of way.needs) expect(command).toContain(`export ${name}=…\n`);
      expect(commandOf({ ...wish, isDryRun: true })).toEndWith("--dry-run");
    }
  }
});
