import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, weirOn } from "../commands/weirProcess.ts";
import { Random } from "../support/random.ts";
import type { Weir } from "../support/weir.ts";

/** A row of the made-up history. */
export interface HistoryRow {
  ts: string;
  user: string;
  device: string;
  name: string;
  amount: number;
}

/** The same rows for the same seed; one in ten equals its neighbour. */
export function historyOf(rows: number, seed: number): HistoryRow[] {
  const random = new Random(seed);
  const made: HistoryRow[] = [];
  while (made.length < rows) {
    const user = `user-${random.int(1, 500)}`;
    const at = Date.UTC(2024, 0, 1) + random.int(0, 60 * 86_400_000 - 1);
    const row = {
      ts: new Date(at).toISOString(),
      user,
      device: `device of ${user} ${random.int(1, 2)}`,
      name: random.pick(["viewed", "bought", "left"]),
      amount: random.int(0, 100_000) / 100,
    };
    made.push(row);
    if (random.chance(0.1) && made.length < rows) made.push({ ...row });
  }
  return made;
}

export const MAPPING = {
  event: "name",
  distinct_id: "user",
  timestamp: "ts",
  properties: "amount",
  link: { anonymous: "device", user: "user" },
};

const ROWS_AT_ONCE = 50_000;

export function writeHistory(folder: string, name: string, rows: readonly HistoryRow[]): string {
  const path = join(folder, name);
  writeFileSync(path, "");
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE);
    appendFileSync(path, some.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  return path;
}

export function writeMapping(folder: string, mapping: object = MAPPING): string {
  const path = join(folder, `map-${crypto.randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(mapping));
  return path;
}

/** Runs `weir import` against a Weir, on its data folder. */
export const importInto = (weir: Weir, argv: string[]): Promise<Ended> =>
  weirOn(weir.dataDir, ["import", ...argv, "--project", String(weir.environmentId)]);

/** The report that `--json` prints last. */
export function reportIn({ out, error, code }: Ended): Record<string, unknown> & { id: string } {
  const last = out.trim().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`no report came, but ${code}: ${out}\n${error}`);
  return JSON.parse(last);
}

/** Of the stored rows, by day and name: how many, and a sum. */
export async function storedByDay(weir: Weir): Promise<string[]> {
  const { results } = await weir.query(
    `select toString(toDate(timestamp)) as day, event, count(), round(sum(toFloat(properties.amount)) * 100)
     from events where event not like '$%' group by day, event order by day, event limit 10000`,
  );
  return results.map((row) => row.join(" "));
}

/** The same of rows, by plain loops. */
export function expectedByDay(rows: readonly HistoryRow[]): string[] {
  const found = new Map<string, { count: number; cents: number }>();
  for (const { ts, name, amount } of rows) {
    const key = `${ts.slice(0, 10)} ${name}`;
    const sum = found.get(key) ?? { count: 0, cents: 0 };
    found.set(key, { count: sum.count + 1, cents: sum.cents + Math.round(amount * 100) });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, { count, cents }]) => `${key} ${count} ${cents}`);
}

/** Of the stored rows, by day: a sum of all uuids. */
export async function uuidsByDay(weir: Weir): Promise<string[]> {
  const { results } = await weir.query(
    `select toString(toDate(timestamp)) as day, sum(cityHash64(toString(uuid))) from events where event not like '$%'
     group by day order by day limit 10000`,
  );
  return results.map((row) => row.join(" "));
}

/** The persons: of each its distinct_ids. */
export async function personsIn(weir: Weir): Promise<string[]> {
  const { results } = await weir.query(
    "select arraySort(groupArray(distinct_id)) from person_distinct_ids group by person_id limit 10000",
  );
  return results.map(([ids]) => (ids as string[]).join(", ")).sort();
}

/** The same of rows: a person is a user with all devices. */
export function expectedPersons(rows: readonly HistoryRow[]): string[] {
  const found = new Map<string, Set<string>>();
  for (const { user, device } of rows) found.set(user, (found.get(user) ?? new Set([user])).add(device));
  return [...found.values()].map((ids) => [...ids].sort().join(", ")).sort();
}
