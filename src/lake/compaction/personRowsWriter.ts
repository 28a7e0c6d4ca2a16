import { sqlString } from "../engine/mod.ts";
import { personKey } from "../people/mod.ts";
import { draftPath } from "../storage/mod.ts";
import { ownTeam, type PlannedOutput } from "./outputs.ts";
import type { SortedWriter } from "./sortedWriter.ts";

/** A person's rows are read by whole row groups. Smaller ones make each question look at more statistics. */
const GROUP_MAX_ROWS = 8_192;
/** Higher levels make nothing smaller here: what is alike stands together. */
const COMPRESSION_LEVEL = 1;
const ORDER: [column: string, direction: "asc" | "desc"][] = [
  ["person_key", "asc"],
  ["person_id", "asc"],
  [`"timestamp"`, "desc"],
  ["uuid", "desc"],
];

/**
 * Writes the events of one project a second time, by person, the newest first: so a list of the newest ones ends after the
 * first of a person's row groups. The columns are those of the rows, and `person_key`, by whose statistics a reader finds
 * these row groups.
 */
export class PersonRowsWriter {
  constructor(
    private readonly workDirectory: string,
    private readonly sortedWriter: SortedWriter,
  ) {}

  /** Writes a draft, from the draft of the rows. `rowGroupRows`: as many as a row group of these rows may have. */
  async write(output: PlannedOutput, rowGroupRows: number): Promise<void> {
    const { id, rows } = output;
    const draft = (part: "rows" | "personRows") => draftPath(this.workDirectory, { id, part });
    await this.sortedWriter.write({
      teamId: ownTeam(output),
      text: `select ${personKey("person_id")} as person_key, * from read_parquet(${sqlString(draft("rows"))})`,
      read: {},
      order: ORDER,
      rows,
      rowGroupRows: Math.min(rowGroupRows, GROUP_MAX_ROWS),
      path: draft("personRows"),
      options: `compression_level ${COMPRESSION_LEVEL}`,
    });
  }
}
