import type { Config } from "../../config.ts";
import { findEnvironment } from "../../metadata/mod.ts";
import { type ExportContext, textLimitsOf } from "../../query/mod.ts";
import type { Db } from "../../store/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import { askedAt } from "../query/question.ts";
import { type ProjectRecords, RecordCache } from "../query/records.ts";

/** What queries of exports know of a project. */
export function exportContext({ db, config, now }: { db: Db; config: Config; now(): number }) {
  const records = new RecordCache(db);
  return async (teamId: number): Promise<ExportContext & { records: ProjectRecords }> => {
    const environment = await db.read((tx) => findEnvironment(tx, teamId));
    if (environment === null) throw new TerminalError("export_cancelled", "The project was deleted.");
    return {
      ...askedAt(environment, now()),
      teamId,
      limits: {
        timeoutMs: config.queryTimeoutMs,
        maxRows: Number.MAX_SAFE_INTEGER,
        text: textLimitsOf(config),
      },
      records: await records.of(teamId),
    };
  };
}
