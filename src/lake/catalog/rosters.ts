import type { Db } from "../../store/mod.ts";
import { lockVersion } from "./clock.ts";
import { readBeside } from "./jobs.ts";
import { liveSegments } from "./segments.ts";
import type { LiveSegment } from "./types.ts";

/** The roster of a project as it is now, which a job reads from here on; null when there is none. */
export async function takeRoster(db: Db, jobId: string, teamId: number): Promise<LiveSegment | null> {
  return db.write(async (tx) => {
    await lockVersion(tx);
    const [roster = null] = await liveSegments(tx, { kind: "roster", teamId });
    if (roster !== null) await readBeside(tx, jobId, roster.id);
    return roster;
  });
}
