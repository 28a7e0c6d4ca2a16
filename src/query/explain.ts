import type { LakeQuery, Relations } from "../lake/mod.ts";
import { render, type Sql } from "./sql.ts";

/** The statement over the names of the lake's relations, the times of events it reads, and how many files those are. */
export function explained(statement: Sql, range: LakeQuery["range"], files: number): string[] {
  const { text, params } = render(statement, RELATION_NAMES);
  const at = (ms: number | null) => (ms === null ? "any time" : new Date(ms).toISOString());
  return [
    `Reads ${files} files with events from ${at(range.fromMs)} to ${at(range.toMs)}.`,
    ...params.map(
      (value, i) =>
        `$${i + 1} = ${JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item))}`,
    ),
    text,
  ];
}

const RELATION_NAMES: Relations = {
  events: () => "events",
  countPersons: ({ where }) => `count_persons()${where === undefined ? "" : ` FILTER (WHERE ${where})`}`,
  persons: () => "persons",
  distinctIds: () => "distinct_ids",
  moved: () => "moved",
  personProperty: (key) => `person_property(${key})`,
  groups: () => "groups",
  groupProperty: (index, key) => `group_property(${index}, ${key})`,
};
