import { type LiveSegment, type SegmentFacts, teamSpan } from "../catalog/mod.ts";
import { quoted, sqlString } from "../engine/mod.ts";
import { type Reader, readTeams } from "../reading/mod.ts";
import { draftPath, measureDrafts, type SegmentStore } from "../storage/mod.ts";
import { sumWideBytes } from "../writing/mod.ts";

/** Segments of several generations: their partition numbers mean different things, so they are left out. */
const MIXED_GENERATIONS = 0;

/** The facts of an output for the catalog, read back from its drafts. */
export async function segmentFacts(
  engine: Reader,
  store: SegmentStore,
  output: Pick<
    SegmentFacts,
    | "id"
    | "kind"
    | "squashedThrough"
    | "columns"
    | "exceptions"
    | "isNumbered"
    | "rollupZone"
    | "hasJourney"
    | "hasPersonRows"
  > & {
    inputs: readonly LiveSegment[];
  },
): Promise<SegmentFacts> {
  const { inputs, ...made } = output;
  const { id, kind } = made;
  const path = draftPath(store.workDirectory, { id, part: "rows" });
  const teams = await readTeams(engine, path, kind);
  return {
    ...made,
    level: 1 + Math.max(...inputs.map((input) => input.level)),
    ...streamOrigin(inputs),
    ...teamSpan(teams),
    ...(await measureDrafts(store, made)),
    wideBytes: await readWideBytes(engine, path, output),
    teams,
  };
}

/** Without wide rows in the inputs there are none, and no text has to be read; a roster has no text. */
async function readWideBytes(
  engine: Reader,
  path: string,
  { kind, inputs }: Pick<SegmentFacts, "kind"> & { inputs: readonly LiveSegment[] },
): Promise<number> {
  if (kind === "roster" || inputs.every(({ wideBytes }) => wideBytes === 0)) return 0;
  const texts = await engine.run(`select name from parquet_schema(${sqlString(path)}) where type = 'BYTE_ARRAY'`);
  const columns = texts.map(([name]) => quoted(String(name)));
  const [[bytes] = []] = await engine.run(sumWideBytes(`read_parquet(${sqlString(path)})`, columns));
  return Number(bytes);
}

function streamOrigin(inputs: readonly LiveSegment[]): { generation: number; partitions: number[] } {
  const [generation = MIXED_GENERATIONS, ...others] = new Set(inputs.map((input) => input.generation));
  if (others.length > 0) return { generation: MIXED_GENERATIONS, partitions: [] };
  const partitions = [...new Set(inputs.flatMap((input) => input.partitions))].sort((a, b) => a - b);
  return { generation, partitions };
}
