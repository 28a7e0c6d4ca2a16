import { type StoppableEngine, sqlString } from "../engine/mod.ts";
import { draftPath } from "../storage/mod.ts";
import { dayStart, UTC_DAY } from "./localDays.ts";

/**
 * Writes what persons did by day beside the numbered events of one project: one row for each (event, day, person), and one
 * with the event NULL for all events of a person on that day. `timestamp` is when the day began.
 */
export class RollupWriter {
  constructor(
    private readonly workDirectory: string,
    private readonly engine: StoppableEngine,
  ) {}

  /** Writes a draft, from the draft of the rows. */
  async write(id: string, timezone: string): Promise<void> {
    const rows = sqlString(draftPath(this.workDirectory, { id, part: "rows" }));
    const days = await this.engine.run(`select distinct ${UTC_DAY} as day from read_parquet(${rows}) order by day`);
    const start = dayStart(
      "ms",
      days.map(([day]) => Number(day)),
      timezone,
    );
    const path = draftPath(this.workDirectory, { id, part: "rollup" });
    // Sorted numbers are written as small differences by the second version of the format.
    await this.engine.run(
      `copy (
        select team_id, event, make_timestamp_ms(day) as "timestamp", person_number, count(*)::uinteger as events
        from (select team_id, event, ${start} as day, person_number
              from (select team_id, event, epoch_ms("timestamp") as ms, person_number from read_parquet(${rows})))
        group by grouping sets ((team_id, event, day, person_number), (team_id, day, person_number))
        order by event nulls first, day, person_number
      ) to ${sqlString(path)} (format parquet, parquet_version v2, compression zstd, use_tmp_file false)`,
    );
  }
}
