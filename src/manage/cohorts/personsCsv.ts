import { parseUuid, personIdOf } from "../../types/mod.ts";

/** Names of columns that hold the uuid of a person, */
const PERSON_COLUMNS = ["person_id", "person-id", "person id", "uuid"];
/** and of those that hold a distinct id. */
const DISTINCT_ID_COLUMNS = ["distinct_id", "distinct-id", "distinct id"];

/**
 * The persons that a CSV file lists: by the column that its first line names, else every line begins with a distinct id.
 * Empty cells are left out. The ids are those of persons before any merge.
 */
export function personsOfCsv(teamId: number, csv: string): string[] {
  const rows = cellsOf(csv);
  const header = (rows[0] ?? []).map((cell) => cell.trim().toLowerCase());
  const column = (names: string[]) => header.findIndex((cell) => names.includes(cell));
  const personColumn = column(PERSON_COLUMNS);
  const distinctIdColumn = column(DISTINCT_ID_COLUMNS);
  const hasHeader = personColumn >= 0 || distinctIdColumn >= 0;
  const ids = rows.slice(hasHeader ? 1 : 0).map((row) => {
    if (personColumn >= 0) return parseUuid(row[personColumn]?.trim() ?? "");
    const distinctId = row[Math.max(0, distinctIdColumn)]?.trim() ?? "";
    return distinctId === "" ? null : personIdOf(teamId, distinctId);
  });
  return [...new Set(ids.filter((id) => id !== null))];
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y;

/** RFC 4180; a quote in the middle of a cell ends the file. */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const text = csv.replace(/^\ufeff/, "");
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const cell = CELL.exec(text);
    if (cell === null) break;
    row.push(cell[1]?.replaceAll('""', '"') ?? cell[2] ?? "");
    if (cell[3] === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
