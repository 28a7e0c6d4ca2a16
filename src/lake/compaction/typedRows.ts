import type { LiveSegment } from "../catalog/mod.ts";
import { quoted } from "../engine/mod.ts";
import {
  columnName,
  jsonColumn,
  type Parameter,
  REST,
  SEGMENT_COLUMNS,
  split,
  type TypedColumn,
  wholeProperties,
} from "../typed/mod.ts";

/** All columns of a segment but the properties. */
const PLAIN = Object.keys(SEGMENT_COLUMNS).filter((name) => name !== "properties");

/** Typed columns by project, of every project that has some in the inputs or gets some in the outputs. */
export type Layouts = ReadonlyMap<number, readonly TypedColumn[]>;

/** Files that have the same columns, with those that they have. */
export function groupByLayout(
  files: readonly LiveSegment[],
  layouts: Layouts,
): { files: LiveSegment[]; stored: readonly TypedColumn[] }[] {
  const groups = Map.groupBy(files, ({ teamId, columns }) => (columns === 0 ? "" : `${teamId}/${columns}`));
  return [...groups.values()].map((group) => {
    const [{ teamId, columns } = { teamId: null, columns: 0 }] = group;
    const layout = teamId === null ? [] : (layouts.get(teamId) ?? []);
    return { files: group, stored: layout.slice(0, columns) };
  });
}

/** A SELECT of rows of files with the `stored` columns, with `columns` instead; those are more of the same layout, or none. */
export function rowsAs(o: {
  from: string;
  stored: readonly TypedColumn[];
  columns: readonly TypedColumn[];
  parameter: Parameter;
}): string {
  const plain = PLAIN.map(quoted).join(", ");
  if (o.columns.length === 0)
    return `select ${plain}, ${wholeProperties(o.stored, o.parameter)} as properties from ${o.from}`;
  const kept = o.stored.map(columnName);
  const added = o.columns.slice(o.stored.length);
  if (added.length === 0) return `select ${[plain, ...kept, REST].join(", ")} from ${o.from}`;
  const source = `(select ${[plain, ...kept, `${jsonColumn(o.stored.length)} as json`].join(", ")} from ${o.from})`;
  return `select ${[plain, ...kept, ...added.map(columnName), REST].join(", ")} from ${split(source, added)}`;
}
