/** Weir's door as an engine of `scripts/bench lake`: `weirEngine.ts DATASET`. */
import type { LakeQuery, Relations } from "../../../src/lake/mod.ts";
import { openDataset } from "../dataset/dataset.ts";
import { lakeOf } from "../dataset/openLake.ts";
import { serve } from "../engines/engineProcess.ts";
import { questions, type Tables } from "./questions.ts";

const DEADLINE_MS = 60_000;
const MAX_ROWS = 50_000;

type Params = ReturnType<LakeQuery["sql"]>["params"];

function tablesOf(relations: Relations, params: Params): Tables {
  const parameter = (text: string) => `$${params.push(text)}::VARCHAR`;
  return {
    events: ({ keys = [], properties = false, times }) =>
      relations.events({ persons: true, properties, keys: keys.map((key) => [key] as const), times }, parameter),
    activity: (o) => relations.activity({ timezone: "UTC", ...o }),
    countEvents: "sum(events)::bigint",
    countPersons: (groups) => relations.countPersons({ groups }),
    who: relations.who("e"),
    personProperty: (key) =>
      `(select person_id, json_extract_string(value, '') as value from ${relations.personProperty(parameter(key))})`,
  };
}

async function main(path: string): Promise<void> {
  const set = openDataset(path);
  const lake = await lakeOf(set);
  const all = questions(set.vocabulary);
  serve(async ({ question }) => {
    const { range, duckdb } = all[question]!;
    const sql = (relations: Relations) => {
      const params: Params = [];
      return { text: duckdb(tablesOf(relations, params)), params };
    };
    const outcome = await lake.query({
      teamId: set.vocabulary.team,
      range,
      sql,
      deadlineMs: DEADLINE_MS,
      maxRows: MAX_ROWS,
    });
    return JSON.parse(outcome.rowsJson) as unknown[][];
  });
}

await main(process.argv[2]!);
