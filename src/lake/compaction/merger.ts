import type { LiveSegment, SegmentFacts } from "../catalog/mod.ts";
import { type KeyFile, mapKeyFile } from "../duplicates/mod.ts";
import { quoted, type StoppableEngine, sqlString } from "../engine/mod.ts";
import { JourneyWriter } from "../journeys/mod.ts";
import { draftPath, filesOf, type SegmentStore, tableOf } from "../storage/mod.ts";
import { describeLayout, fileColumns, REST, type TypedColumn } from "../typed/mod.ts";
import { segmentFacts } from "./facts.ts";
import { checkRows, type Inspector, type MergePlan, sum } from "./inspector.ts";
import { movedIn } from "./knownChanges.ts";
import { UTC_DAY } from "./localDays.ts";
import { mergeKeys } from "./mergeKeys.ts";
import { ownTeam, type PlannedOutput } from "./outputs.ts";
import { PersonRowsWriter } from "./personRowsWriter.ts";
import { RollupWriter } from "./rollupWriter.ts";
import { RowSource } from "./rowSource.ts";
import { SortedWriter } from "./sortedWriter.ts";
import type { Layouts } from "./typedRows.ts";

/** Rosters by project, of those that get files of their own; all persons in their rows have a number. */
type Rosters = ReadonlyMap<number, { id: string }>;

/** Of the projects whose rows a job writes. */
interface OfProjects {
  layouts: Layouts;
  rosters: Rosters;
  /** Of the days in their rollups. */
  timezones: ReadonlyMap<number, string>;
}

/**
 * About so many rows of neighbouring days are sorted by event together: so the rows of a rare event stand in one row group
 * of ten, and the newest rows of all events in few.
 */
const RUN_ROWS = 400_000;
/**
 * Values that a column of a row group may have to be written as a dictionary: at most so many, and half of its rows. The engine's own limit is a fifth.
 * It reads paths of 20,000 pages with 35 % less CPU for it, and groups rows by number instead of text. More it would not group so.
 * The engine makes room for all of them, in each column: for 20,000 that takes 10 ms, so a file gets no more than it has rows.
 */
const DICTIONARY_MAX_VALUES = 20_000;
/** Of the engine's memory, for each of these values: larger dictionaries leave a sort too little, it goes to disk, and a job takes twice as long. */
const DICTIONARY_VALUE_BYTES = 16_000;
const PERSON = "coalesce(m.survivor_id, e.person_id)";
const MOVED = "left join moved m on m.team_id = e.team_id and m.id = e.person_id";

export interface MergerOptions {
  /** Files with numbers get their rows in order of person, too. */
  hasPersonRows: boolean;
  /** Of the engine. */
  memoryBytes: number;
  /** Called between two parts of a long job, whose claim stays: does what cannot wait for its end. */
  between(): Promise<unknown>;
  /** From here on a step of a job of events counts as a part. */
  longStepMs: number;
  log(message: string): void;
}

interface Merged {
  outputs: SegmentFacts[];
  /** Equal duplicate keys that met: duplicates that should not exist. */
  equalKeys: number;
}

/**
 * Reads segments and writes their rows into fewer, sorted ones, with the persons after the merges known. Knows files
 * only, not the catalog.
 */
export class Merger {
  private readonly rowSource: RowSource;
  private readonly rollupWriter: RollupWriter;
  private readonly journeyWriter: JourneyWriter;
  private readonly personRowsWriter: PersonRowsWriter;
  private readonly sortedWriter: SortedWriter;

  constructor(
    private readonly store: SegmentStore,
    private readonly engine: StoppableEngine,
    private readonly inspector: Inspector,
    private readonly options: MergerOptions,
  ) {
    this.rowSource = new RowSource(store, engine);
    this.rollupWriter = new RollupWriter(store.workDirectory, engine);
    this.journeyWriter = new JourneyWriter(store.workDirectory, engine);
    this.sortedWriter = new SortedWriter(store, engine, options.log);
    this.personRowsWriter = new PersonRowsWriter(store.workDirectory, this.sortedWriter);
  }

  /** Writes the outputs; they are durable when it returns. Every row that is kept is in exactly one. */
  async write(plan: MergePlan, { layouts, rosters, timezones }: OfProjects): Promise<Merged> {
    const { store } = this;
    const keyFiles = await Promise.all(plan.inputs.map(({ id }) => mapKeyFile(store, id)));
    const erasedKeys = await this.inspector.erasedKeys(plan);
    const merged: Merged = { outputs: [], equalKeys: 0 };
    for (const output of plan.outputs) {
      const { id } = output;
      const ownId = ownTeam(output);
      const columns = (ownId !== null && layouts.get(ownId)) || [];
      const roster = (ownId !== null && rosters.get(ownId)) || null;
      await this.step(() => this.writeRows(plan, output, { columns, layouts, roster }));
      const rollupZone = (roster !== null && ownId !== null && timezones.get(ownId)) || null;
      if (rollupZone !== null) await this.step(() => this.rollupWriter.write(id, rollupZone));
      const hasJourney = roster !== null && (await this.step(() => this.journeyWriter.write(id)));
      const hasPersonRows = roster !== null && this.options.hasPersonRows;
      if (hasPersonRows) await this.step(() => this.personRowsWriter.write(output, plan.rowGroupRows));
      merged.equalKeys += await this.writeKeys({ inputs: keyFiles, erased: erasedKeys }, output);
      const { inputs, known } = plan;
      const exceptions = await this.exceptionsOf(id, inputs, columns);
      const made = {
        id,
        kind: "events",
        inputs,
        squashedThrough: known.version,
        columns: columns.length,
        exceptions,
        isNumbered: roster !== null,
        rollupZone,
        hasJourney,
        hasPersonRows,
      } as const;
      const facts = await segmentFacts(this.engine, store, made);
      await store.publish(filesOf(facts));
      merged.outputs.push(facts);
    }
    checkRows(
      sum(plan.outputs, (output) => output.rows),
      sum(merged.outputs, (output) => output.rowCount),
    );
    return merged;
  }

  /** Writes one file of an output; a long step is followed by what cannot wait. */
  private async step<T>(write: () => Promise<T>): Promise<T> {
    const beganAtMs = performance.now();
    const written = await write();
    if (performance.now() - beganAtMs >= this.options.longStepMs) await this.options.between();
    return written;
  }

  private writeRows(
    plan: MergePlan,
    output: PlannedOutput,
    { columns, layouts, roster }: { columns: readonly TypedColumn[]; layouts: Layouts; roster: { id: string } | null },
  ): Promise<void> {
    const names = fileColumns(columns).map((name) =>
      name === "person_id" ? `${PERSON} as person_id` : `e.${quoted(name)}`,
    );
    const moved = `select team_id, id, survivor_id from ${movedIn(this.store, plan.inputs, plan.known)}`;
    const numbers = roster && `left join ${this.numbersIn(plan.inputs, roster)} n on n.person_id = ${PERSON}`;
    return this.rowSource.during({ plan, output, columns, layouts }, ({ text, variables, params }) =>
      this.sortedWriter.write({
        teamId: ownTeam(output),
        text: `with moved as materialized (${moved})
          select ${[...names, ...(numbers === null ? [] : ["n.number as person_number"])].join(", ")} from (${text}) e
          ${MOVED} ${numbers ?? ""}`,
        // The rows are wide and go through; what is joined to them is in memory.
        read: { variables: { ...variables, layout: describeLayout(columns) }, params, keepsSides: true },
        order: orderOf(output),
        rows: output.rows,
        rowGroupRows: plan.rowGroupRows,
        path: draftPath(this.store.workDirectory, { id: output.id, part: "rows" }),
        options: `dictionary_size_limit ${this.dictionaryValues(plan, output)}, kv_metadata {weir_columns: getvariable('layout')}`,
      }),
    );
  }

  /** Of a roster the persons in these files: it may have sixteen times as many as a job has rows. */
  private numbersIn(inputs: readonly LiveSegment[], roster: { id: string }): string {
    const events = `(select distinct team_id, person_id from ${tableOf(this.store, inputs)})`;
    return `(select person_id, number from ${tableOf(this.store, [roster])}
      where person_id in (select ${PERSON} from ${events} e ${MOVED}))`;
  }

  private dictionaryValues({ rowGroupRows }: MergePlan, { rows }: PlannedOutput): number {
    const roomFor = Math.floor(this.options.memoryBytes / DICTIONARY_VALUE_BYTES);
    return Math.max(1, Math.min(DICTIONARY_MAX_VALUES, roomFor, rowGroupRows / 2, rows));
  }

  /** Ids of the columns whose key is in the `rest` of some row. */
  private async exceptionsOf(
    id: string,
    inputs: readonly LiveSegment[],
    columns: readonly TypedColumn[],
  ): Promise<number[]> {
    if (columns.length === 0) return [];
    const known = new Set(inputs.flatMap((input) => input.exceptions));
    if (inputs.every((input) => input.columns === columns.length)) return [...known].sort((a, b) => a - b);
    const keys = await this.engine.run(
      `select distinct key from (
         select unnest(try(json_keys(${REST}))) as key from read_parquet(${sqlString(draftPath(this.store.workDirectory, { id, part: "rows" }))})
         where ${REST} <> '{}')`,
    );
    const found = new Set(keys.map(([key]) => key));
    return columns.filter(({ key }) => found.has(key)).map((column) => column.id);
  }

  private async writeKeys(
    { inputs, erased }: { inputs: readonly KeyFile[]; erased: ReadonlyMap<bigint, number> },
    output: PlannedOutput,
  ): Promise<number> {
    const { keys, equalKeys } = mergeKeys(inputs, output, erased);
    await Bun.write(draftPath(this.store.workDirectory, { id: output.id, part: "keys" }), keys.bytes);
    return equalKeys;
  }
}

/** `ordinal` is last and stays a column: within a lane and partition it is the order of acceptance. */
function orderOf({ fromDay, toDay, rows }: PlannedOutput): [column: string, direction: "asc"][] {
  const runDays = Math.max(1, Math.round(((toDay - fromDay + 1) * RUN_ROWS) / rows));
  const columns = ["team_id", `(${UTC_DAY} // ${runDays})`, "event", `"timestamp"`, "lane", "ordinal"];
  return columns.map((column) => [column, "asc"]);
}
