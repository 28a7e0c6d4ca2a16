import { type Db, findOwner, listEnvironments, listProjects } from "../../metadata/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import { makeProject } from "../projects/change.ts";
import { LIST_MAX, readArguments, table, usageError } from "./output.ts";

const USAGE = `usage: weir projects create NAME [--json]
       weir projects list [--json]`;

/**
 * `weir projects`. Throws TerminalError `invalid_arguments` or `not_found`, with a text for the terminal.
 */
export async function runProjects(argv: string[], db: Db, print: (text: string) => void = console.log): Promise<void> {
  print(await outputOf(argv, db, Date.now()));
}

async function outputOf(argv: string[], db: Db, nowMs: number): Promise<string> {
  const { values, positionals } = readArguments(
    { args: argv, allowPositionals: true, options: { json: { type: "boolean" } } },
    USAGE,
  );
  const [action, name] = positionals;
  if (action === "list") return list(db, values.json === true);
  if (action === "create" && name?.trim()) return create(db, name.trim(), nowMs, values.json === true);
  throw usageError("What should be done with the projects?", USAGE);
}

async function create(db: Db, name: string, nowMs: number, asJson: boolean): Promise<string> {
  const environment = await db.write(async (tx) => {
    const owner = await findOwner(tx);
    if (owner === null) throw new TerminalError("not_found", "There is no user yet: run `weir start` once.");
    return makeProject(tx, { userId: null, atMs: nowMs }, { organizationId: owner.organizationId, name });
  });
  const shown = { id: environment.id, name: environment.name, api_token: environment.apiToken };
  return asJson ? JSON.stringify(shown) : `Project ${shown.id} "${shown.name}" takes events with ${shown.api_token}`;
}

/** One row an environment: that is what has a token. */
async function list(db: Db, asJson: boolean): Promise<string> {
  const rows = await db.read(async (tx) => {
    const rows: { project: number; environment: number; name: string; api_token: string }[] = [];
    for (const project of (await listProjects(tx, { limit: LIST_MAX, offset: 0 })).items) {
      for (const { id, name, apiToken } of await listEnvironments(tx, [project.id])) {
        rows.push({ project: project.id, environment: id, name, api_token: apiToken });
      }
    }
    return rows;
  });
  if (asJson) return JSON.stringify(rows);
  if (rows.length === 0) return "There are no projects.";
  return table(rows.map((row) => ({ ...row, project: String(row.project), environment: String(row.environment) })));
}
