/**
 * Asks ClickHouse for the answers that `hogqlClickhouse.test.ts` compares with: `bun test/query/clickhouse/record.ts`, by hand after
 * a change of the cases. Writes `answers.jsonl`: first ClickHouse's version, then [zone or set of rows, what was asked, answer] for each
 * expression that it answers.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installClickHouse } from "../../bench/clickhouse/install.ts";
import { cases, rowsCases } from "./cases.ts";
import { SETS } from "./rows.ts";

installClickHouse();
// Loaded once it is installed.
const { Session } = await import("../../bench/clickhouse/session.ts");
const folder = mkdtempSync(join(tmpdir(), "clickhouse"));
const session = new Session(folder, {
  connectionArgs: [
    "--output_format_json_quote_64bit_integers=0",
    "--output_format_json_quote_denormals=0",
    "--date_time_output_format=iso",
    "--allow_experimental_funnel_functions=1",
  ],
});

/** The text of the rows; null where ClickHouse refuses the query. */
async function ask(query: string): Promise<string | null> {
  try {
    return (await session.queryAsync(query, { format: "JSONCompactEachRow" })).text();
  } catch {
    return null;
  }
}

const lines: string[] = [];
const known = new Set<string>();
const note = (place: string, asked: string, answer: string): void => {
  const line = `[${JSON.stringify(place)},${JSON.stringify(asked)},${answer}]`;
  if (!known.has(line)) lines.push(line);
  known.add(line);
};

const refused = new Set<string>();
for (const { zone, calls, name } of cases()) {
  let isAnswered = false;
  for (const { clickhouse } of calls) {
    const answer = await ask(`select ${clickhouse} settings session_timezone = '${zone}'`);
    if (answer === null) continue;
    isAnswered = true;
    note(zone, clickhouse, answer.trim().slice(1, -1));
  }
  if (!isAnswered) refused.add(`${name}: ${calls[0]?.clickhouse}`);
}

const literal = (value: number | string | null): string => (typeof value === "string" ? `'${value}'` : String(value));
for (const { set, expression, isWindow } of rowsCases()) {
  const tuples = SETS[set]!.map((row) => `(${[row.i, row.x, row.y, row.s].map(literal).join(", ")})`);
  const rows = `select t.1 as i, t.2 as x, t.3 as y, t.4 as s from (select arrayJoin(
    CAST([${tuples.join(", ")}], 'Array(Tuple(Nullable(Int64), Nullable(Int64), Nullable(Float64), Nullable(String)))')) as t)`;
  const answer = await ask(`select ${expression} from (${rows}) ${isWindow ? "order by i" : ""}`);
  if (answer === null) refused.add(expression);
  else
    note(
      set,
      expression,
      `[${answer
        .trim()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.slice(1, -1))
        .join(",")}]`,
    );
}

const version = (await ask("select version()"))!.trim().slice(1, -1);
writeFileSync(join(import.meta.dir, "answers.jsonl"), `${[version, ...lines].join("\n")}\n`);
session.close();
rmSync(folder, { recursive: true, force: true });
console.log(`${lines.length} answers of ClickHouse ${version}`);
for (const expression of refused) console.log(`refused: ${expression}`);
