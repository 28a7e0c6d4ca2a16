import {
  createPersonalApiKey,
  type Db,
  existingEnvironmentIds,
  findOwner,
  findPersonalApiKeyById,
  LEVELS,
  listPersonalApiKeys,
  type PersonalApiKey,
  revokePersonalApiKey,
} from "../../metadata/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import { isoTime } from "../http/reply.ts";
import { recordKey } from "../keys/activity.ts";
import { checkScopes } from "../keys/scopes.ts";
import { LIST_MAX, readArguments, table, usageError } from "./output.ts";

const USAGE = `usage: weir keys create --label TEXT --scopes SCOPE,… [--projects ID,…] [--level member|admin|owner] [--json]
       weir keys list [--json]
       weir keys revoke ID`;

/**
 * `weir keys`. Throws TerminalError `invalid_arguments` or `not_found`, with a text for the terminal.
 */
export async function runKeys(argv: string[], db: Db, print: (text: string) => void = console.log): Promise<void> {
  print(await outputOf(argv, db, Date.now()));
}

async function outputOf(argv: string[], db: Db, nowMs: number): Promise<string> {
  const { values, positionals } = readArguments(
    {
      args: argv,
      allowPositionals: true,
      options: {
        label: { type: "string" },
        scopes: { type: "string" },
        projects: { type: "string" },
        level: { type: "string" },
        json: { type: "boolean" },
      },
    },
    USAGE,
  );
  const [action, id] = positionals;
  if (action === "list") return listKeys(db, values.json === true);
  if (action === "revoke" && id !== undefined) return revokeKey(db, id, nowMs);
  if (action !== "create") throw usageError("What should be done with the keys?", USAGE);
  if (!values.label) throw usageError("--label is missing.", USAGE);
  if (values.scopes === undefined) throw usageError("--scopes is missing.", USAGE);
  const level = LEVELS.find((known) => known === (values.level ?? "member"));
  if (level === undefined) throw usageError(`--level must be one of ${LEVELS.join(", ")}.`, USAGE);
  const scopes = splitList(values.scopes);
  try {
    checkScopes(scopes);
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error), USAGE);
  }
  const scopedTeams = splitList(values.projects ?? "").map(Number);
  return createKey(db, { label: values.label, scopes, scopedTeams, level, nowMs }, values.json === true);
}

const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

type Wish = Omit<Parameters<typeof createPersonalApiKey>[1], "userId" | "value">;

async function createKey(db: Db, wish: Wish, asJson: boolean): Promise<string> {
  const { key, value } = await db.write(async (tx) => {
    const owner = await findOwner(tx);
    if (owner === null) throw new TerminalError("not_found", "There is no user yet: run `weir start` once.");
    const existing = await existingEnvironmentIds(tx, wish.scopedTeams.filter(Number.isSafeInteger));
    const unknown = wish.scopedTeams.find((team) => !existing.has(team));
    if (unknown !== undefined) throw usageError(`--projects: there is no project ${unknown}.`, USAGE);
    const made = await createPersonalApiKey(tx, { ...wish, userId: owner.id });
    await recordKey(tx, { userId: null, atMs: wish.nowMs, activity: "created", key: made.key });
    return made;
  });
  return asJson ? JSON.stringify({ ...shown(key), value }) : `${value}\nThis key (${key.id}) is not shown again.`;
}

async function listKeys(db: Db, asJson: boolean): Promise<string> {
  const { items: found } = await db.read((tx) => listPersonalApiKeys(tx, { limit: LIST_MAX, offset: 0 }));
  const keys = found.map(shown);
  if (asJson) return JSON.stringify(keys);
  if (keys.length === 0) return "There are no keys.";
  return table(
    keys.map((key) => ({
      id: key.id,
      label: key.label,
      key: key.mask_value,
      level: key.level,
      scopes: key.scopes.join(","),
      projects: key.scoped_teams.join(",") || "all",
      "last used": key.last_used_at ?? "never",
    })),
  );
}

async function revokeKey(db: Db, id: string, nowMs: number): Promise<string> {
  await db.write(async (tx) => {
    const key = await findPersonalApiKeyById(tx, id);
    if (key === null) throw new TerminalError("not_found", `There is no key ${id}.`);
    await revokePersonalApiKey(tx, id, nowMs);
    await recordKey(tx, { userId: null, atMs: nowMs, activity: "deleted", key });
  });
  return `Key ${id} is revoked.`;
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
