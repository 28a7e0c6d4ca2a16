import type { Db, Tx } from "../store/mod.ts";
import { TerminalError } from "../types/mod.ts";
import { findEnvironment } from "./environments.ts";
import { createOrganization, findOrganizationId } from "./organizations.ts";
import { createPersonalApiKey, personalApiKeyExists } from "./personalApiKeys.ts";
import { createProject } from "./projects.ts";
import { newProjectToken } from "./secrets.ts";
import { createUser, findOwner, setCurrentEnvironment } from "./users.ts";

/** A shorter one can be guessed. */
const KEY_MIN_LENGTH = 32;

/** The first project, and its first environment. */
const FIRST_PROJECT_ID = 1;

export interface Bootstrap {
  /** Of the first environment; null when that was deleted. */
  projectApiKey: string | null;
  /** In the clear, to be shown once; null when it was made by an earlier start. */
  personalApiKey: string | null;
  /** Settings that could not take effect, as sentences. */
  warnings: string[];
}

interface FirstKeys {
  projectApiKey: string | null;
  personalApiKey: string | null;
}

/**
 * Makes the organisation, its owner, the first project and the first keys when there are none yet. Later it adds a
 * personal key that was set since; the project's token stays, because clients use it.
 * Throws TerminalError `weak_key` when a key that is to be made is too short.
 */
export async function bootstrap(db: Db, keys: FirstKeys, nowMs: number): Promise<Bootstrap> {
  return db.write(async (tx) => {
    // Takes the row's lock, so that processes that start together wait for each other.
    await tx`update sequences set value = value where name = 'environments'`;
    return (await findOrganizationId(tx)) === null ? firstStart(tx, keys, nowMs) : laterStart(tx, keys, nowMs);
  });
}

/** Throws TerminalError `weak_key`. */
function checkLength(name: string, key: string | null): void {
  if (key === null || key.length >= KEY_MIN_LENGTH) return;
  throw new TerminalError(
    "weak_key",
    `${name} has ${key.length} characters and needs at least ${KEY_MIN_LENGTH}; left empty, Weir makes one`,
  );
}

async function firstStart(tx: Tx, keys: FirstKeys, nowMs: number): Promise<Bootstrap> {
  checkLength("WEIR_PROJECT_API_KEY", keys.projectApiKey);
  const organizationId = await createOrganization(tx, { name: "Weir", slug: "weir", nowMs });
  const owner = await createUser(tx, {
    organizationId,
    level: "owner",
    firstName: "Owner",
    email: "owner@localhost.localdomain",
    nowMs,
  });
  const projectApiKey = keys.projectApiKey ?? newProjectToken();
  const id = await createProject(tx, { organizationId, name: "Default project", apiToken: projectApiKey, nowMs });
  await setCurrentEnvironment(tx, owner.id, id);
  const personalApiKey = await createOwnerKey(tx, owner.id, keys.personalApiKey, nowMs);
  return { projectApiKey, personalApiKey, warnings: [] };
}

async function laterStart(tx: Tx, keys: FirstKeys, nowMs: number): Promise<Bootstrap> {
  const warnings: string[] = [];
  const projectApiKey = (await findEnvironment(tx, FIRST_PROJECT_ID))?.apiToken ?? null;
  if (keys.projectApiKey !== null && keys.projectApiKey !== projectApiKey) {
    warnings.push(
      `WEIR_PROJECT_API_KEY is not the token of project ${FIRST_PROJECT_ID}, which was made earlier and keeps its own: ` +
        "events sent with the key of the setting are refused",
    );
  }
  const given = keys.personalApiKey;
  if (given === null || (await personalApiKeyExists(tx, given)))
    return { projectApiKey, personalApiKey: null, warnings };
  const owner = await findOwner(tx);
  if (owner === null) {
    warnings.push("WEIR_PERSONAL_API_KEY was not added: there is no owner it could belong to");
    return { projectApiKey, personalApiKey: null, warnings };
  }
  return { projectApiKey, personalApiKey: await createOwnerKey(tx, owner.id, given, nowMs), warnings };
}

async function createOwnerKey(tx: Tx, userId: number, value: string | null, nowMs: number): Promise<string> {
  checkLength("WEIR_PERSONAL_API_KEY", value);
  const created = await createPersonalApiKey(tx, {
    userId,
    label: "First key",
    scopes: ["*"],
    scopedTeams: [],
    level: "owner",
    nowMs,
    value: value ?? undefined,
  });
  return created.value;
}
