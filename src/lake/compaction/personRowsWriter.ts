import { type StoppableEngine, sqlString } from "../engine/mod.ts";
import { personKey } from "../people/mod.ts";
import { draftPath } from "../storage/mod.ts";

/** A person's rows are read by whole row groups. Smaller ones make each question look at more statistics. */
const GROUP_MAX_ROWS = 8_192;
/** Higher levels make nothing smaller here: what is alike stands together. */
const COMPRESSION_LEVEL = 1;

/**
 * Writes the events of one project a second time, by person, the newest first: so a list of the newest ones ends after the
 * first of a person's row groups. The columns are those of the rows, and `person_key`, by whose statistics a reader finds
 * these row groups.
 */
export class PersonRowsWriter {
  constructor(
    private readonly workDirectory: string,
    private readonly engine: StoppableEngine,
  ) {}

  /** Writes a draft, from the draft of the rows. `rowGroupRows`: as many as a row group of these rows may have. */
  async write(id: string, rowGroupRows: number): Promise<void> {
    const [rows, path] = (["rows", "personRows"] as const).map((part) => draftPath(this.workDirectory, { id, part }));
    await this.engine.run(
      `copy (
        select ${personKey("person_id")} as person_key, * from read_parquet(${sqlString(rows!)})
        order by person_key, person_id, "timestamp" desc, uuid desc
      ) to ${sqlString(path!)}
      (format parquet, compression zstd, compression_level ${COMPRESSION_LEVEL},
       row_group_size ${Math.min(rowGroupRows, GROUP_MAX_ROWS)}, use_tmp_file false)`,
    );
  }
}
