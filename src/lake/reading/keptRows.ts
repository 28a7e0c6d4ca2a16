import { importMark } from "../../types/mod.ts";
import type { Erasure, SegmentKind } from "../catalog/mod.ts";
import { sqlList, sqlString, sqlTexts } from "../engine/mod.ts";
import { CLASS } from "../people/mod.ts";
import { columnName, jsonColumn } from "../typed/mod.ts";

interface File {
  id: string;
  /** Rows deleted up to this version are not in it. */
  erasedThrough: number;
  /** Typed columns of a file of events. */
  columns: number;
}

/** Files, and how they are read: `read` gives the text of the table that they are together. */
export interface Source<F extends File> {
  kind: SegmentKind;
  files: readonly F[];
  /** In order of version. */
  erasures: readonly Erasure[];
  /** The table of the roster, where the rows tell persons by number. */
  roster?: string;
  read(files: readonly F[]): string;
  /** SQL text of the columns that are wanted; all when absent. */
  columns?: string;
}

/** Of some files rows have the number of their person too, and nobody asks for it where they are read with others. */
const UNION = " union all by name ";

/** SQL text of a table of the rows that are not deleted. */
export function keptRows<F extends File>(source: Source<F>): string {
  const parts = byErasures(source).map(({ files, erased }) =>
    rowsWhere(source, files, erased === null ? null : `not (${erased})`),
  );
  const [first = "", ...others] = parts;
  return others.length === 0 ? first : `(${parts.map((part) => `select * from ${part}`).join(UNION)})`;
}

/**
 * The same in one scan of files with equal columns, for a statement that sorts the rows: DuckDB can move a sort to disk
 * only until the first part of a union has ended, and runs out of memory in a later part. `pathOf`: as `read` names a file.
 */
export function keptInOneScan<F extends File>(source: Source<F>, pathOf: (file: F) => string): string {
  const conditions = byErasures(source).flatMap(({ files, erased }) =>
    erased === null
      ? []
      : [`(filename in (${files.map((file) => sqlString(pathOf(file))).join(", ")}) and (${erased}))`],
  );
  return rowsWhere(source, source.files, conditions.length === 0 ? null : `not (${conditions.join(" or ")})`);
}

/** The same of those that are; null where no file can have any. */
export function erasedRows<F extends File>(source: Source<F>): string | null {
  const parts = byErasures(source).flatMap(({ files, erased }) =>
    erased === null ? [] : [`select * from ${rowsWhere(source, files, erased)}`],
  );
  return parts.length === 0 ? null : `(${parts.join(UNION)})`;
}

function rowsWhere<F extends File>(
  { read, columns = "*" }: Source<F>,
  files: readonly F[],
  condition: string | null,
): string {
  if (condition === null && columns === "*") return read(files);
  return `(select ${columns} from ${read(files)}${condition === null ? "" : ` where ${condition}`})`;
}

/** Files of which the same is deleted, with the condition on the rows that are. */
function byErasures<F extends File>({
  kind,
  files,
  erasures,
  roster,
}: Source<F>): { files: F[]; erased: string | null }[] {
  // Which columns hold the properties only matters where an import was undone.
  const hasImports = kind === "events" && erasures.some((erasure) => erasure.kind === "import");
  const formOf = (file: F) => {
    const first = erasures.findIndex(({ version }) => version > file.erasedThrough);
    return JSON.stringify([first, hasImports ? file.columns : 0]);
  };
  return [...Map.groupBy(files, formOf)].map(([form, group]) => {
    const [first, columns]: [number, number] = JSON.parse(form);
    return {
      files: group,
      erased: erasedCondition({ kind, roster, columns }, first === -1 ? [] : erasures.slice(first)),
    };
  });
}

/** True or false for every row, never NULL: rows of groups have no `person_id`. */
function erasedCondition(
  { kind, roster, columns }: { kind: SegmentKind; roster: string | undefined; columns: number },
  erasures: readonly Erasure[],
): string | null {
  const projects = erasures.filter((erasure) => erasure.kind === "project").map(({ teamId }) => teamId);
  const idsOf = (withEvents: boolean) =>
    erasures.flatMap((erasure) =>
      erasure.kind === "person" && erasure.withEvents === withEvents ? erasure.personIds : [],
    );
  const [persons, profiles] = [idsOf(true), idsOf(false)];
  const conditions: string[] = [];
  if (projects.length > 0) conditions.push(`team_id in (select unnest(${sqlList(projects, "bigint")}))`);
  if (persons.length > 0) conditions.push(roster === undefined ? isOneOf(persons) : isNumberOf(persons, roster));
  if (profiles.length > 0 && kind === "log") conditions.push(`(class = ${CLASS.person} and ${isOneOf(profiles)})`);
  if (kind === "events") conditions.push(...erasures.flatMap((erasure) => isOfImport(erasure, columns)));
  if (kind === "log") conditions.push(...areOfGroups(erasures));
  return conditions.length === 0 ? null : conditions.join(" or ");
}

/**
 * The rows of an import that was undone, of a file with so many typed columns. A search for a text: a bad guess would need the import's
 * id, which is random, deeper in the properties.
 */
export function isOfImport(erasure: Erasure, columns: number): string[] {
  if (erasure.kind !== "import") return [];
  const { teamId, importId, columnId } = erasure;
  const inJson = `contains(${jsonColumn(columns)}, ${sqlString(importMark(checkUuid(importId)))})`;
  const isTyped = columnId !== null && columnId < columns;
  const inColumn = isTyped
    ? ` or coalesce(${columnName({ id: columnId })}::varchar = ${sqlString(importId)}, false)`
    : "";
  return [`(team_id = ${teamId} and (${inJson}${inColumn}))`];
}

/** A condition for each type of groups. */
function areOfGroups(erasures: readonly Erasure[]): string[] {
  const groups = erasures.filter((erasure) => erasure.kind === "group");
  return [...Map.groupBy(groups, ({ teamId, index }) => `team_id = ${teamId} and class = ${CLASS.group0 + index}`)].map(
    ([isOfType, own]) => `(${isOfType} and subject in (select unnest(${sqlTexts(own.map(({ key }) => key))})))`,
  );
}

const UUID = /^[0-9a-f-]{36}$/;

/** One text: of a list of many thousand constants the engine would make as many expressions, and try each on every row. */
function isOneOf(personIds: readonly string[]): string {
  return `coalesce(person_id in (select unnest(${sqlList(personIds.map(checkUuid), "uuid")})), false)`;
}

/** Numbers without a person in the roster belong to deleted persons, and are never given again. */
function isNumberOf(personIds: readonly string[], roster: string): string {
  return `person_number in (select number from ${roster} where person_id is null or ${isOneOf(personIds)})`;
}

export function checkUuid(id: string): string {
  if (!UUID.test(id)) throw new Error(`no uuid: ${id}`);
  return id;
}
