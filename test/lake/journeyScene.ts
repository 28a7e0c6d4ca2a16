import { join } from "node:path";
import { journeyParts } from "../../src/lake/journeys/journeyFile.ts";
import type { Journey } from "../../src/lake/journeys/mod.ts";
import type { LakeQuery, WalkStatement } from "../../src/lake/mod.ts";
import type { FunnelProgram, Program } from "../../src/walk/mod.ts";
import type { openQueryScene } from "./queryScene.ts";

/** The bytes of a file that holds this journey of a project. */
export function encodeJourney(teamId: number, journey: Journey): Uint8Array {
  return Buffer.concat(journeyParts(teamId, journey));
}

export type Held = NonNullable<WalkStatement["journeys"]>;

export const BASE_MS = Date.UTC(2024, 0, 1);
export const COUNT = "select count(*) from walk0";
/** Whatever is called `first` is the first step, and all else the second. */
const NAMES = {
  text: "select event, person_mode = 1 as personless, case when event = 'first' then 1 else 2 end as steps from journey_names",
  params: [],
};

/** The journey of so many persons, each of whom has the same events in order, a second apart. */
export function journeyOf(persons: number, events: readonly string[]): Journey {
  const names = [...new Set(events)];
  const rowCount = persons * events.length;
  return {
    rowCount,
    names,
    modes: names.map(() => 0),
    counts: names.map((name) => persons * events.filter((event) => event === name).length),
    persons: Uint32Array.from({ length: persons }, (_, i) => i),
    starts: Uint32Array.from({ length: persons + 1 }, (_, i) => i * events.length),
    baseMs: BASE_MS,
    offsetsMs: Uint32Array.from({ length: rowCount }, (_, i) => (i % events.length) * 1000),
    events: Uint8Array.from({ length: rowCount }, (_, i) => names.indexOf(events[i % events.length]!)),
    rows: Uint32Array.from({ length: rowCount }, (_, i) => i),
  };
}

export const FUNNEL: FunnelProgram = {
  kind: "funnel",
  steps: 2,
  order: "ordered",
  windowMs: 60_000,
  optional: 0,
  exclusions: [],
  attribution: null,
  bucketStartsMs: null,
};

let written = 0;

/** Where the journey lies that was written last. */
export const lastLocation = ({ stored }: Scene): string => join(stored.runDirectory, `${written}.journey`);

type Scene = Awaited<ReturnType<typeof openQueryScene>>;

/** Writes journeys, and gives a question about a walk over them. */
export async function askingOf(
  scene: Scene,
  journeys: readonly Journey[],
  { isStale = false, ...held }: Partial<Held> & { isStale?: boolean } = {},
  text = COUNT,
  program: Program = FUNNEL,
): Promise<LakeQuery["sql"]> {
  const locations: string[] = [];
  for (const journey of journeys) {
    written++;
    locations.push(lastLocation(scene));
    await Bun.write(lastLocation(scene), encodeJourney(1, journey));
  }
  const walk: WalkStatement = {
    table: "walk0",
    text: "",
    params: [],
    program,
    journeys: {
      files: locations.map((location) => ({ location, isStale })),
      hasOthers: false,
      persons: Math.max(0, ...journeys.map(({ persons }) => (persons.at(-1) ?? -1) + 1)),
      hasUnnumbered: false,
      moved: null,
      ids: null,
      fromMs: null,
      toMs: null,
      names: NAMES,
      isValueNamed: false,
      places: null,
      keyed: null,
      made: null,
      whole: null,
      ...held,
    },
  };
  return () => ({ text, params: [], walks: [walk] });
}
