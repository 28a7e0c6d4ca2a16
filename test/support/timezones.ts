import { existingEnvironmentIds, insertEnvironment } from "../../src/metadata/mod.ts";
import type { Db } from "../../src/store/mod.ts";

/** The zone whose days the insights of a project count; makes its environment where there is none. */
export async function setTimezone(db: Db, teamId: number, timezone: string): Promise<void> {
  await db.write(async (tx) => {
    if (!(await existingEnvironmentIds(tx, [teamId])).has(teamId)) {
      await insertEnvironment(tx, { id: teamId, projectId: 1, apiToken: `token ${teamId}`, name: "test", nowMs: 0 });
    }
    await tx`update environments set timezone = ${timezone} where id = ${teamId}`;
  });
}
