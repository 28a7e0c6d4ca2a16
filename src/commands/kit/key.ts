import type { Config } from "../../config.ts";
import { recordKey } from "../../manage/mod.ts";
import {
  createPersonalApiKey,
  findOwner,
  findPersonalApiKeyById,
  listPersonalApiKeys,
  revokePersonalApiKey,
} from "../../metadata/mod.ts";
import { openExistingRecords } from "../../roles/paths.ts";
import { frontUrl } from "../../roles/urls.ts";
import type { Tx } from "../../store/mod.ts";
import { TerminalError } from "../../types/mod.ts";

/** A key for one run. */
export interface RunKey {
  value: string;
  /** Ends the key where it was made for the run. */
  revoke(): Promise<void>;
}

/** The front that an import goes to. Throws TerminalError `not_running`. */
export function urlOfWeir(given: string | undefined, config: Config): string {
  return given === undefined ? frontUrl(config) : given.replace(/\/+$/, "");
}

/**
 * The key that was given, else that of `WEIR_API_KEY`, else one that is made for the run, for the one project, on the records of the
 * data folder. Throws TerminalError `no_data`.
 */
export async function keyForRun(given: string | undefined, project: number, config: Config): Promise<RunKey> {
  const known = given ?? (process.env.WEIR_API_KEY || undefined);
  if (known !== undefined) return { value: known, revoke: async () => {} };
  const nowMs = Date.now();
  const made = await onRecords(config, (db) =>
    db.write(async (tx) => {
      const owner = await findOwner(tx);
      if (owner === null) throw new TerminalError("not_found", "There is no user yet: run `weir start` once.");
      await revokeLeft(tx, nowMs);
      const wish = { label: LABEL, scopes: ["*"], scopedTeams: [project], level: "admin" as const };
      const made = await createPersonalApiKey(tx, { ...wish, userId: owner.id, nowMs });
      await recordKey(tx, { atMs: nowMs, activity: "created", key: made.key });
      return made;
    }),
  );
  return { value: made.value, revoke: () => revoke(config, made.key.id) };
}

const LABEL = "weir import";
const LEFT_MS = 86_400_000;
const KEYS_MAX = 10_000;

/** Ends keys of runs that were killed: a run uses its key every few seconds. */
async function revokeLeft(tx: Tx, nowMs: number): Promise<void> {
  const { items } = await listPersonalApiKeys(tx, { limit: KEYS_MAX, offset: 0 });
  for (const key of items) {
    if (key.label !== LABEL || nowMs - (key.lastUsedAtMs ?? key.createdAtMs) < LEFT_MS) continue;
    await revokePersonalApiKey(tx, key.id, nowMs);
    await recordKey(tx, { atMs: nowMs, activity: "deleted", key });
  }
}

type Db = Awaited<ReturnType<typeof openExistingRecords>>;

async function onRecords<T>(config: Config, body: (db: Db) => Promise<T>): Promise<T> {
  const db = await openExistingRecords(config);
  try {
    return await body(db);
  } finally {
    await db.close();
  }
}

function revoke(config: Config, id: string): Promise<void> {
  return onRecords(config, (db) =>
    db.write(async (tx) => {
      const key = await findPersonalApiKeyById(tx, id);
      if (key === null) return;
      const nowMs = Date.now();
      await revokePersonalApiKey(tx, id, nowMs);
      await recordKey(tx, { atMs: nowMs, activity: "deleted", key });
    }),
  );
}
