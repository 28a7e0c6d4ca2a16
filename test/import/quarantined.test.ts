import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import { USUAL_LIMITS } from "../../src/import/run/frontRules.ts";
import type { DropCause, JsonObject } from "../../src/types/mod.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { importInto, reportIn } from "./history.ts";

/** Less than what is usual, so that it is seen whose limit counts. */
const EVENT_MAX_BYTES = 600_000;

let weir: Weir;
let folder: string;

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_EVENT_MAX_BYTES: String(EVENT_MAX_BYTES) } });
  folder = mkdtempSync(join(tmpdir(), "weir-quarantined-"));
});
afterAll(async () => {
  await weir[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => weir.enterFreshProject());

type Reason = "no_event" | "no_id" | "bad_id" | "bad_time" | "too_large" | "refused";

interface Case {
  cause: DropCause | "nested too deeply";
  row: JsonObject;
  reason: Reason;
}

const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
const group = (key: string): JsonObject => ({ $group_type: "company", $group_key: key, $group_set: { size: 1 } });

/** What the front, or an actor of its own, sets aside. An actor that drops and what is deleted are no matter of the event. */
const CASES: Case[] = [
  { cause: "missing_event_name", row: { event: "" }, reason: "no_event" },
  { cause: "missing_distinct_id", row: { distinct_id: "" }, reason: "no_id" },
  { cause: "missing_distinct_id", row: { distinct_id: "   " }, reason: "no_id" },
  { cause: "message_size_too_large", row: { properties: { text: "長".repeat(400_000) } }, reason: "too_large" },
  { cause: "message_size_too_large", row: { properties: { text: "x".repeat(700_000) } }, reason: "too_large" },
  { cause: "invalid_uuid", row: { uuid: "none" }, reason: "bad_id" },
  { cause: "invalid_event_timestamp", row: { timestamp: "never" }, reason: "bad_time" },
  { cause: "invalid_cookieless_mode", row: { properties: { $cookieless_mode: "yes" } }, reason: "refused" },
  {
    cause: "invalid_event_when_process_person_profile_is_false",
    row: { event: "$groupidentify", properties: { ...group("acme"), $process_person_profile: false } },
    reason: "refused",
  },
  { cause: "performance_event", row: { event: "$performance_event" }, reason: "refused" },
  {
    cause: "group_key_too_long",
    row: { event: "$groupidentify", properties: group("k".repeat(401)) },
    reason: "refused",
  },
  { cause: "nested too deeply", row: { properties: { deep: nested(197) } }, reason: "refused" },
];
const GOOD: JsonObject[] = [
  { properties: { text: "x".repeat(590_000) } },
  { properties: { text: "長".repeat(195_000) } },
  { event: "$groupidentify", properties: group("k".repeat(400)) },
  { properties: { $cookieless_mode: true } },
  { properties: { deep: nested(195) } },
  { event: " " },
];

const uuid = (i: number) => `0190d6e2-0000-7000-8000-${String(i).padStart(12, "0")}`;
const rowOf = (row: JsonObject, i: number): JsonObject => ({
  ...{ uuid: uuid(i), event: "bought", distinct_id: "u1", timestamp: "2024-03-05T10:00:00Z", properties: {} },
  ...row,
});

function write(name: string, rows: readonly JsonObject[]): string {
  const path = join(folder, name);
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return path;
}

const countsOf = (reasons: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(reasons, (reason) => reason)].map(([reason, all]) => [reason, all.length]));

describe("events that the front sets aside", () => {
  test("are rejects of an import, each with its reason", async () => {
    const path = write("ph.jsonl", [...GOOD, ...CASES.map(({ row }) => row)].map(rowOf));
    const ended = await importInto(weir, ["posthog", path, "--json"]);
    const report = reportIn(ended);
    expect(report).toMatchObject({
      rows: GOOD.length + CASES.length,
      stored: GOOD.length,
      rejected: CASES.length,
      rejectedBy: countsOf(CASES.map(({ reason }) => reason)),
      missing: 0,
      isWhole: true,
    });
    expect(ended.code).toBe(0);
    const rejects = readFileSync(String(report.rejects), "utf8").trim().split("\n");
    const found = rejects.map((line) => JSON.parse(line));
    expect(found.map(({ line, reason }) => [line - GOOD.length, reason])).toEqual(
      CASES.map(({ reason }, i) => [i + 1, reason]),
    );
    for (const [i, { cause, reason }] of CASES.entries()) {
      if (reason === "refused" && cause !== "nested too deeply") expect(found[i].message).toContain(cause);
    }
    // Nothing came to the front that it had to set aside.
    expect(await weir.ingestionStatus()).toMatchObject({ dropped: 0, stored: GOOD.length });
  });

  test("are what the front sets aside when they come otherwise", async () => {
    const quarantined = CASES.filter(
      ({ cause }) => cause !== "nested too deeply" && cause !== "invalid_event_timestamp",
    );
    await weir.deliver(quarantined.map(({ row }) => rowOf(row, 0)));
    await weir.waitStored();
    expect((await weir.ingestionStatus()).dropped_by_cause).toEqual(countsOf(quarantined.map(({ cause }) => cause)));
  });

  test("are told by a dry run, by the usual limits", async () => {
    const path = write("dry.jsonl", [...GOOD, ...CASES.map(({ row }) => row)].map(rowOf));
    const { out } = await importInto(weir, ["posthog", path, "--dry-run", "--json"]);
    // 700,000 bytes are usually taken.
    expect(JSON.parse(out.trim().split("\n").at(-1)!)).toMatchObject({ rejected: CASES.length - 1 });
    const { eventMaxBytes, jsonMaxDepth } = loadConfig({});
    expect(USUAL_LIMITS).toEqual({ eventMaxBytes, jsonMaxDepth });
  });

  test("do not end an import where it makes them", async () => {
    const rows = ["acme", "k".repeat(401)].map((key, i) => ({
      ...{ uuid: uuid(i), event_type: "viewed", event_time: "2024-03-05 10:00:00.000000", user_id: "u1" },
      groups: { company: [key] },
      group_properties: { company: { [key]: { size: 1 } } },
    }));
    const report = reportIn(await importInto(weir, ["amplitude", write("made.json", rows), "--json"]));
    const made = { sent: 1, stored: 1, refused: 1, missing: 0 };
    expect(report).toMatchObject({ rows: 2, stored: 2, rejected: 0, made, isWhole: true });
  });
});
