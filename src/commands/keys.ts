import { checkScopes, isoTime, recordKey } from "../manage/mod.ts";
import {
  createPersonalApiKey,
  existingEnvironmentIds,
  findOwner,
  findPersonalApiKeyById,
  LEVELS,
  listPersonalApiKeys,
  type PersonalApiKey,
  revokePersonalApiKey,
} from "../metadata/mod.ts";
import type { Db } from "../store/mod.ts";
import { describeError, TerminalError, UsageError } from "../types/mod.ts";
import { type Arguments, unexpected, wholeNumber } from "./kit/command.ts";
import { LIST_MAX, type Printed, table } from "./kit/output.ts";
import type { Deed } from "./kit/records.ts";

type KeysArguments = Arguments<{ label: "text"; scopes: "text"; projects: "text"; level: "text"; json: "flag" }>;

/** `weir keys`. Throws UsageError; the deed throws UsageError and TerminalError `not_found`. */
export function readKeys({ options, words }: KeysArguments): Deed {
  const [action, id] = words;
  const asJson = options.json === true;
  if (action === "revoke") {
    if (id === undefined) throw new UsageError("ID is missing: `weir keys list` shows the ids.");
    return (db) => revokeKey(db, id, Date.now());
  }
  if (id !== undefined) throw unexpected(id);
  if (action === "list") return (db) => listKeys(db, asJson);
  if (action !== "create") throw new UsageError("Name an action: create, list or revoke.");
  const wish = readWish(options);
  return (db) => createKey(db, { ...wish, nowMs: Date.now() }, asJson);
}

type Wish = Omit<Parameters<typeof createPersonalApiKey>[1], "userId" | "value">;

function readWish(options: KeysArguments["options"]): Omit<Wish, "nowMs"> {
  if (!options.label) throw new UsageError("--label is missing.");
  if (options.scopes === undefined) throw new UsageError("--scopes is missing: '*' allows everything.");
  const level = LEVELS.find((known) => known === (options.level ?? "member"));
  if (level === undefined) throw new UsageError(`--level must be one of ${LEVELS.join(", ")}.`);
  const scopes = splitList(options.scopes);
  try {
    checkScopes(scopes);
  } catch (error) {
    throw new UsageError(describeError(error));
  }
  const scopedTeams = splitList(options.projects ?? "").map((id) => wholeNumber("--projects", id));
  return { label: options.label, scopes, scopedTeams, level };
}

const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

async function createKey(db: Db, wish: Wish, asJson: boolean): Promise<Printed> {
  const { key, value } = await db.write(async (tx) => {
    const owner = await findOwner(tx);
    if (owner === null) throw new TerminalError("not_found", "There is no user yet: run `weir start` once.");
    const existing = await existingEnvironmentIds(tx, wish.scopedTeams);
    const unknown = wish.scopedTeams.find((team) => !existing.has(team));
    if (unknown !== undefined) throw new UsageError(`--projects: there is no project ${unknown}.`);
    const made = await createPersonalApiKey(tx, { ...wish, userId: owner.id });
    await recordKey(tx, { atMs: wish.nowMs, activity: "created", key: made.key });
    return made;
  });
  if (asJson) return { text: JSON.stringify({ ...shown(key), value }) };
  return { text: value, note: `This key (${key.id}) is not shown again.` };
}

async function listKeys(db: Db, asJson: boolean): Promise<Printed> {
  const { items: found } = await db.read((tx) => listPersonalApiKeys(tx, { limit: LIST_MAX, offset: 0 }));
  const keys = found.map(shown);
  if (asJson) return { text: JSON.stringify(keys) };
  if (keys.length === 0) return { text: "There are no keys." };
  const rows = keys.map((key) => ({
    id: key.id,
    label: key.label,
    key: key.mask_value,
    level: key.level,
    scopes: key.scopes.join(","),
    projects: key.scoped_teams.join(",") || "all",
    "last used": key.last_used_at ?? "never",
  }));
  return { text: table(rows) };
}

async function revokeKey(db: Db, id: string, nowMs: number): Promise<Printed> {
  await db.write(async (tx) => {
    const key = await findPersonalApiKeyById(tx, id);
    if (key === null) throw new TerminalError("not_found", `There is no key ${id}.`);
    await revokePersonalApiKey(tx, id, nowMs);
    await recordKey(tx, { atMs: nowMs, activity: "deleted", key });
  });
  return { text: `Key ${id} is revoked.` };
}

function shown(key: PersonalApiKey) {
  return {
    id: key.id,
    label: key.label,
    mask_value: key.maskValue,
    scopes: key.scopes,
    scoped_teams: key.scopedTeams,
    level: key.level,
    created_at: isoTime(key.createdAtMs),
    last_used_at: isoTime(key.lastUsedAtMs),
  };
}
