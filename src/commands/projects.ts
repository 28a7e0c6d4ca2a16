import { makeProject } from "../manage/mod.ts";
import { findOwner, listEnvironments, listProjects } from "../metadata/mod.ts";
import type { Db } from "../store/mod.ts";
import { TerminalError, UsageError } from "../types/mod.ts";
import { type Arguments, unexpected } from "./kit/command.ts";
import { LIST_MAX, type Printed, table } from "./kit/output.ts";
import type { Deed } from "./kit/records.ts";

/** `weir projects`. Throws UsageError; the deed throws TerminalError `not_found`. */
export function readProjects({ options, words }: Arguments<{ json: "flag" }>): Deed {
  const [action, name] = words;
  const asJson = options.json === true;
  if (action === "create") {
    if (!name?.trim()) throw new UsageError("NAME of the project is missing.");
    return (db) => create(db, name.trim(), Date.now(), asJson);
  }
  if (name !== undefined) throw unexpected(name);
  if (action === "list") return (db) => list(db, asJson);
  throw new UsageError("Name an action: create or list.");
}

async function create(db: Db, name: string, nowMs: number, asJson: boolean): Promise<Printed> {
  const environment = await db.write(async (tx) => {
    const owner = await findOwner(tx);
    if (owner === null) throw new TerminalError("not_found", "There is no user yet: run `weir start` once.");
    return makeProject(tx, { userId: null, atMs: nowMs }, { organizationId: owner.organizationId, name });
  });
  const shown = { id: environment.id, name: environment.name, api_token: environment.apiToken };
  const sentence = `Project ${shown.id} "${shown.name}" takes events with ${shown.api_token}`;
  return { text: asJson ? JSON.stringify(shown) : sentence };
}

/** One row an environment: tokens belong to environments. */
async function list(db: Db, asJson: boolean): Promise<Printed> {
  const rows = await db.read(async (tx) => {
    const rows: { project: number; environment: number; name: string; api_token: string }[] = [];
    for (const project of (await listProjects(tx, { limit: LIST_MAX, offset: 0 })).items) {
      for (const { id, name, apiToken } of await listEnvironments(tx, [project.id])) {
        rows.push({ project: project.id, environment: id, name, api_token: apiToken });
      }
    }
    return rows;
  });
  if (asJson) return { text: JSON.stringify(rows) };
  if (rows.length === 0) return { text: "There are no projects." };
  const shown = rows.map((row) => ({ ...row, project: String(row.project), environment: String(row.environment) }));
  return { text: table(shown) };
}
