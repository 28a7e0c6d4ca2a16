import type { Lake, LakeQuery, QueryOutcome, Relations, SqlValue } from "../../lake/mod.ts";

/** What a response carries where its node has `explain: true`. */
export interface Explained {
  /** Each statement that was run, in their order: what it read, its bound values, its text. */
  explain?: string[];
}

/** A lake that tells of each statement that it has answered. */
export class ExplainingLake implements Lake {
  private readonly told: string[] = [];

  constructor(private readonly lake: Lake) {}

  async query(query: LakeQuery): Promise<QueryOutcome> {
    const outcome = await this.lake.query(query);
    this.told.push(...linesOf(query, outcome.files));
    return outcome;
  }

  /** A question about no time, or about nothing that exists, runs no statement. */
  get lines(): string[] {
    return this.told.length === 0 ? ["Reads nothing."] : this.told;
  }

  close(): Promise<void> {
    return this.lake.close();
  }
}

/** The times of events it reads and how many files those are, its values, the statement over the names of relations. */
function linesOf({ range, sql }: LakeQuery, files: number): string[] {
  const { text, params, walks = [] } = sql(RELATION_NAMES);
  const at = (ms: number | null) => (ms === null ? "any time" : new Date(ms).toISOString());
  const events = range.toMs === 0 ? "and no events" : `with events from ${at(range.fromMs)} to ${at(range.toMs)}`;
  return [
    `Reads ${files} files ${events}.`,
    ...walks.flatMap((walk) => [
      `${walk.table} is a walk (${JSON.stringify(walk.program)}) over these rows:`,
      ...valuesOf(walk.params),
      walk.text,
    ]),
    ...valuesOf(params),
    text,
  ];
}

const valuesOf = (params: readonly SqlValue[]): string[] =>
  params.map(
    (value, i) => `$${i + 1} = ${JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item))}`,
  );

const RELATION_NAMES: Relations = {
  events: () => "events",
  activity: () => "activity",
  journeys: () => null,
  who: (alias) => `${alias}.person`,
  countPersons: ({ where }) => `count_persons()${where === undefined ? "" : ` FILTER (WHERE ${where})`}`,
  persons: ({ only }) => (only === undefined ? "persons" : `persons(${only})`),
  distinctIds: ({ only } = {}) => (only === undefined ? "distinct_ids" : `distinct_ids(${only})`),
  moved: () => "moved",
  personProperty: (key) => `person_property(${key})`,
  groups: () => "groups",
  groupProperty: (index, key) => `group_property(${index}, ${key})`,
};
