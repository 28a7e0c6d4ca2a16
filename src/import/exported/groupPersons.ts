import { join } from "node:path";
import { cutCharacters } from "../../json/mod.ts";
import { DISTINCT_ID_MAX_CHARACTERS, isIllegalToMerge } from "../../persons/mod.ts";
import { describeError, type JsonObject } from "../../types/mod.ts";
import { parseExact, stringifyExact } from "../exact.ts";
import { Fields } from "../fields.ts";
import { type ImportedPerson, type Mapped, type Place, type RejectReason, RowRejected } from "../types.ts";
import { Partitions } from "./partitions.ts";
import { type PersonRow, readPersonRow } from "./personRow.ts";

/** Files that rows are spread over: a fraction of all persons is in memory at once. */
const PARTITIONS = 64;
/** As many as `POST persons/` takes. */
const IDS_AT_ONCE = 1000;

/** Of a row that tells of no person: written among the persons, so that it is counted and told as any reject. */
interface Refused {
  reason: RejectReason;
  message: string;
  place: Place;
}

/** A row, which is read when it is asked for. */
export interface PlacedRow {
  /** Throws RowRejected. */
  value(): JsonObject;
  place: Place;
}

/**
 * Makes persons of the rows of the persons model, a JSON line each, in an order that does not depend on that of the rows.
 * A distinct_id has the person of its newest row; a person the properties of its newest row. Deleted ones are left out.
 * Memory is that of the largest of 64 parts. `scratch` is a folder that is made and removed.
 */
export async function groupPersons(
  rows: AsyncIterable<PlacedRow>,
  scratch: string,
  write: (line: string) => unknown,
): Promise<void> {
  const byId = new Partitions(join(scratch, "ids"), PARTITIONS);
  for await (const { value, place } of rows) {
    try {
      const person = readPersonRow(new Fields(value()));
      await byId.add(person.distinctId, stringifyExact(person));
    } catch (error) {
      if (!(error instanceof RowRejected)) throw error;
      const refused: Refused = { reason: error.reason, message: describeError(error), place };
      await write(stringifyExact({ refused }));
    }
  }
  const byPerson = new Partitions(join(scratch, "persons"), PARTITIONS);
  for await (const lines of byId.take()) {
    for (const person of newest(lines, (row) => row.distinctId, isNewerId).values()) {
      await byPerson.add(person.personId, stringifyExact(person));
    }
  }
  for await (const lines of byPerson.take()) {
    const ids = Map.groupBy(lines.map(parsed), (row) => row.personId);
    for (const [personId, state] of [...newest(lines, (row) => row.personId, isNewerState)].sort(byKey)) {
      if (state.isDeleted) continue;
      const distinctIds = ids.get(personId)!.map((row) => cutCharacters(row.distinctId, DISTINCT_ID_MAX_CHARACTERS));
      for (const person of personsOf(state, [...new Set(distinctIds)].sort())) await write(stringifyExact(person));
    }
  }
}

/** A line that `groupPersons` wrote. Throws RowRejected. */
export function mapGroupedPerson(row: Fields): Mapped {
  const refused = row.take("refused") as unknown as Refused | undefined;
  if (refused !== undefined) {
    const { file, line } = refused.place;
    throw new RowRejected(refused.reason, `${file}:${line}: ${refused.message}`);
  }
  const person = {
    distinct_ids: row.take("distinct_ids"),
    properties: row.take("properties"),
    created_at: row.take("created_at"),
    is_identified: row.take("is_identified"),
  };
  return { person: person as unknown as ImportedPerson };
}

/** Ids that many people share are persons of their own: they merge with nothing. */
function* personsOf(
  { properties, createdAt, isIdentified }: PersonRow,
  ids: readonly string[],
): Generator<ImportedPerson> {
  const person = {
    properties,
    created_at: createdAt,
    ...(isIdentified === null ? {} : { is_identified: isIdentified }),
  };
  const [first, ...others] = ids.filter((id) => !isIllegalToMerge(id));
  if (first === undefined) {
    for (const id of ids) yield { distinct_ids: [id], ...person };
    return;
  }
  yield { distinct_ids: [first, ...others.slice(0, IDS_AT_ONCE - 1)], ...person };
  for (let i = IDS_AT_ONCE - 1; i < others.length; i += IDS_AT_ONCE - 1) {
    yield { distinct_ids: [first, ...others.slice(i, i + IDS_AT_ONCE - 1)], ...person, properties: {} };
  }
}

const parsed = (line: string): PersonRow => parseExact(line) as unknown as PersonRow;
const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** The row of each key that no other one of it is newer than. */
function newest(
  lines: readonly string[],
  keyOf: (row: PersonRow) => string,
  isNewer: (row: PersonRow, than: PersonRow) => boolean,
): Map<string, PersonRow> {
  const found = new Map<string, PersonRow>();
  // Sorted, so that among equals the same one is taken in any order of the rows.
  for (const line of [...lines].sort()) {
    const row = parsed(line);
    const known = found.get(keyOf(row));
    if (known === undefined || isNewer(row, known)) found.set(keyOf(row), row);
  }
  return found;
}

function isNewerId(a: PersonRow, b: PersonRow): boolean {
  return a.idVersion === b.idVersion ? a.version > b.version : a.idVersion > b.idVersion;
}

const isNewerState = (a: PersonRow, b: PersonRow): boolean => a.version > b.version;
