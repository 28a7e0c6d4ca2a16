import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { FUNCTIONS } from "../../src/query/hogql/functions/mod.ts";
import { closeParser } from "../../src/query/mod.ts";
import { CALLS } from "./clickhouse/calls.ts";
import { cases, rowsCases } from "./clickhouse/cases.ts";
import { DIFFERENCES } from "./clickhouse/differences.ts";
import { type Answer, type AskedCase, comparable, Weir } from "./clickhouse/weir.ts";

/** What ClickHouse answered when `clickhouse/record.ts` asked, by place and question. */
const lines = (await Bun.file(join(import.meta.dir, "clickhouse/answers.jsonl")).text()).trim().split("\n").slice(1);
const answers = new Map(
  lines.map((line): [string, unknown] => {
    const [place, asked, answer] = JSON.parse(line) as [string, string, unknown];
    return [`${place} ${asked}`, answer];
  }),
);

/** Of each way to call a function the calls that ClickHouse answered. */
const all = cases()
  .map(
    (one): AskedCase => ({
      one,
      asked: [...one.calls.keys()].filter((i) => answers.has(`${one.zone} ${one.calls[i]!.clickhouse}`)),
    }),
  )
  .filter(({ asked }) => asked.length > 0);
const weir = await Weir.open(all);
afterAll(async () => {
  await weir.close();
  closeParser();
});

const met = new Set<string>();

/** A line that tells how an answer differs from ClickHouse's in a way that nobody decided; null where it does not. */
function unlike(name: string, call: string, expected: unknown, answer: Answer): string | null {
  const isSame = "is" in answer && Bun.deepEquals(comparable(answer.is), comparable(expected));
  if (isSame) return null;
  const known = DIFFERENCES.find(({ names, when }) => names.test(name) && (when === undefined || when(call, expected)));
  if (known !== undefined) {
    met.add(known.because);
    return null;
  }
  return `${call}: ClickHouse says ${JSON.stringify(expected)}, Weir ${JSON.stringify("is" in answer ? answer.is : answer.error)}`;
}

async function differences(of: AskedCase): Promise<string[]> {
  const { columns, zone, name, calls } = of.one;
  const ofColumns = columns === null ? [] : [await weir.columns(of)];
  // What is made of known times is the same code in every zone.
  const isFolded = columns === null || zone === "UTC" || zone === "Europe/Berlin";
  const paths = isFolded ? [...ofColumns, await weir.literals(of)] : ofColumns;
  return paths.flatMap((found) =>
    of.asked.flatMap((place, i) => {
      const { hogql, clickhouse } = calls[place]!;
      const line = unlike(name, hogql, answers.get(`${zone} ${clickhouse}`), found[i]!);
      return line === null ? [] : [`${zone} ${line}`];
    }),
  );
}

describe("functions answer what ClickHouse does, for literals and for columns", () => {
  const byName = Map.groupBy(all, ({ one }) => one.name);
  test.each([...byName.keys()])("%s", async (name) => {
    const found: string[] = [];
    for (const one of byName.get(name)!) found.push(...(await differences(one)));
    expect(found).toEqual([]);
  });
});

test("aggregates and window functions answer what ClickHouse does", async () => {
  const found: (string | null)[] = [];
  for (const one of rowsCases()) {
    const key = `${one.set} ${one.expression}`;
    if (!answers.has(key)) continue;
    const name = one.expression.split("(")[0]!;
    found.push(unlike(name, key, answers.get(key), await weir.rows(one)));
  }
  expect(found.filter((line) => line !== null)).toEqual([]);
});

test("every difference that is told is there", () => {
  expect(DIFFERENCES.map(({ because }) => because).filter((because) => !met.has(because))).toEqual([]);
});

/** Functions whose answers are not compared with ClickHouse's. */
const NOT_COMPARED = new Set(
  // Each call gives another answer, or the answer is a name of the engine's own type.
  (
    "now now64 today curdate current_date yesterday rand rand64 randCanonical generateUUIDv4 toTypeName " +
    // HogQL's own rules for NULL; test/query/hogqlNulls.test.ts tests them.
    "_caseWithExpression equals notEquals less lessOrEquals greater greaterOrEquals like notLike ilike notILike match in notIn " +
    // ClickHouse has them under other names or not at all. Intervals are compared where they are added to dates.
    "toIntervalSecond toIntervalMinute toIntervalHour toIntervalDay toIntervalWeek toIntervalMonth toIntervalQuarter toIntervalYear date_add date_sub " +
    "storedText storedTime listedTexts versionNumbers sampleNumber " +
    "lag lead untuple mapGet mapToArrays regexpReplace string_agg json_agg every array_agg uniqHLL12 uniqTheta uniqCombined quantileTiming toDateTime64 parseDateTime64BestEffort toDecimal32 toDecimal64 toDecimal128"
  ).split(" "),
);

test("every function of the table is compared", () => {
  const rows = rowsCases().map(({ expression }) => expression.replace(/^arraySort\(/, "").split("(")[0]!);
  const known = new Set([...CALLS.keys(), ...rows, ...NOT_COMPARED]);
  const family = /^to(U?Int(8|16|32|64)?|Float(32|64)?|Bool|UUID|Date|DateTime)(Or(Null|Zero|Default))?$/;
  expect([...FUNCTIONS.keys()].filter((name) => !known.has(name) && !family.test(name))).toEqual([]);
});
