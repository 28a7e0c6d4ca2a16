import type { Config } from "../config.ts";
import { recordKey } from "../manage/mod.ts";
import {
  createPersonalApiKey,
  existingEnvironmentIds,
  findOwner,
  findPersonalApiKeyById,
  revokePersonalApiKey,
} from "../metadata/mod.ts";
import { openExistingRecords } from "../roles/paths.ts";
import type { Db } from "../store/mod.ts";
import { TerminalError, UsageError } from "../types/mod.ts";

interface RunKeyWish {
  /** Shown in lists of keys, and in the activity log. */
  label: string;
  scopes: readonly string[];
  project: number;
}

/**
 * Runs `body` with a personal key that is made for it, in the data folder of this machine, and revoked at its end.
 * Throws UsageError for a project that is not there, TerminalError `no_data`, `not_found`, and what `body` throws.
 */
export async function withRunKey<T>(config: Config, wish: RunKeyWish, body: (key: string) => Promise<T>): Promise<T> {
  const db = await openExistingRecords(config);
  try {
    const { id, value } = await makeKey(db, wish);
    try {
      return await body(value);
    } finally {
      await db.write(async (tx) => {
        const key = await findPersonalApiKeyById(tx, id);
        const atMs = Date.now();
        if (key !== null && (await revokePersonalApiKey(tx, id, atMs))) {
          await recordKey(tx, { atMs, activity: "deleted", key });
        }
      });
    }
  } finally {
    await db.close();
  }
}

function makeKey(db: Db, { label, scopes, project }: RunKeyWish): Promise<{ id: string; value: string }> {
  const nowMs = Date.now();
  return db.write(async (tx) => {
    const owner = await findOwner(tx);
    if (owner === null) throw new TerminalError("not_found", "There is no user yet: run `weir start` once.");
    if (!(await existingEnvironmentIds(tx, [project])).has(project)) {
      throw new UsageError(`--project: there is no project ${project}.`);
    }
    const wish = { label, scopes: [...scopes], scopedTeams: [project], level: "member" as const, nowMs };
    const { key, value } = await createPersonalApiKey(tx, { ...wish, userId: owner.id });
    await recordKey(tx, { atMs: nowMs, activity: "created", key });
    return { id: key.id, value };
  });
}
