import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { JsonFile, type Lake } from "../../src/lake/mod.ts";
import { jsonText } from "../../src/query/mod.ts";
import { emptyLake, hogql } from "./support.ts";

/** Counts how often others have their turn from now on, until it is asked. */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return () => {
    isOver = true;
    return turns;
  };
}

function disposableFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "weir-rows-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const ROWS = 50_000;
/** Without slices there is none. */
const NONE = 0;

test("others have their turns while a large answer is made and written", async () => {
  const row = Array.from({ length: 6 }, (_, i) => `2024-0${i + 1}-01T12:00:00.000001`);
  using folder = disposableFolder();
  const piece = Array.from({ length: 1_000 }, () => JSON.stringify(row)).join(",");
  const pieces = Array.from({ length: ROWS / 1_000 }, () => piece);
  const rowsFile = await JsonFile.write(join(folder.path, "rows"), pieces);
  let turns = () => 0;
  const lake: Lake = {
    ...emptyLake,
    async query(query) {
      const outcome = await emptyLake.query(query);
      turns = countTurns();
      return { ...outcome, rowsJson: "", rowsFile };
    },
  };
  const columns = row.map((_, i) => `timestamp as t${i}`).join(", ");
  const { resultsFile, ...rest } = await hogql(lake, `select ${columns} from events limit ${ROWS}`, {
    timezone: "Europe/Paris",
  });
  expect(turns()).toBeGreaterThan(NONE);
  const response = { ...rest, results: (await resultsFile!.take()) as unknown[][] };
  expect(response.results).toHaveLength(ROWS);
  expect(response.results.at(-1)![0]).toBe("2024-01-01T13:00:00.000001+01:00");
  turns = countTurns();
  const text = await jsonText(response);
  expect(turns()).toBeGreaterThan(NONE);
  expect(text).toBe(JSON.stringify(response));
});

test("the text of an answer is that of JSON.stringify", async () => {
  const list = fc.array(fc.jsonValue(), { maxLength: 300 });
  const member = fc.oneof(fc.jsonValue(), list, fc.constant(undefined), fc.dictionary(fc.string(), list));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), member), async (answer) => {
      expect(await jsonText(answer)).toBe(JSON.stringify(answer));
    }),
  );
});
