import type { Config } from "../../config.ts";
import { personsOnlyOf, State, WeirClient } from "../../import/mod.ts";
import { type JsonObject, TerminalError, UsageError } from "../../types/mod.ts";
import { type Arguments, wholeNumber } from "../kit/command.ts";
import { keyForRun, urlOfWeir } from "../kit/key.ts";
import { table } from "../kit/output.ts";
import type { OF_LIST, OF_ONE } from "./arguments.ts";
import { folderOf } from "./place.ts";
import type { ImportBody } from "./record.ts";
import { reportText } from "./texts.ts";
import { count } from "./words.ts";

type Given = Arguments<typeof OF_ONE>;

async function withWeir<T>(
  { options }: Arguments<typeof OF_LIST>,
  project: number,
  config: Config,
  body: (weir: WeirClient) => Promise<T>,
): Promise<T> {
  const key = await keyForRun(options.key, project, config);
  try {
    const url = urlOfWeir(options.url, config);
    return await body(new WeirClient({ url, key: key.value, project }, new AbortController().signal));
  } finally {
    await key.revoke();
  }
}

/** `weir import list`. */
export async function showImports(given: Arguments<typeof OF_LIST>, config: Config): Promise<number> {
  const { project, json } = given.options;
  if (project === undefined) throw new UsageError("--project is missing.");
  const found = await withWeir(given, wholeNumber("--project", project), config, (weir) =>
    weir.ask<{ results: ImportBody[] }>("GET", "imports/?limit=1000"),
  );
  if (json) console.log(JSON.stringify(found.results));
  else if (found.results.length === 0) console.log("There are no imports.");
  else {
    const rows = found.results.map(({ id, source, state, counts, created_at, origin }) => ({
      id,
      source,
      state,
      begun: created_at.slice(0, 16),
      rows: String(counts.rows ?? ""),
      stored: String(counts.stored ?? ""),
      origin: origin.length > 60 ? `…${origin.slice(-59)}` : origin,
    }));
    console.log(table(rows));
  }
  return 0;
}

/** `weir import status` and `report`. */
export async function showImport(what: "status" | "report", given: Given, config: Config): Promise<number> {
  const [id] = given.words;
  if (id === undefined) throw new UsageError("ID is missing: `weir import list` shows the ids.");
  const folder = folderOf(id, given.options.state, config);
  const state = State.isIn(folder) ? new State(folder) : null;
  const report = state?.read<Parameters<typeof reportText>[0]>("report.json") ?? null;
  if (what === "report" && report !== null) {
    console.log(given.options.json ? JSON.stringify(report) : reportText(report));
    return report.isWhole ? 0 : 1;
  }
  const project = given.options.project ?? (state === null ? undefined : String(state.readFacts().project));
  if (project === undefined) throw new UsageError("--project is missing.");
  const found = await withWeir(given, wholeNumber("--project", project), config, (weir) =>
    weir.ask<ImportBody>("GET", `imports/${encodeURIComponent(id)}/`),
  );
  if (what === "report" && found.state !== "completed") {
    throw new TerminalError("not_done", `Import ${id} has no report yet: it is ${found.state}.`);
  }
  if (given.options.json) console.log(JSON.stringify(found));
  else {
    const counts = Object.entries(found.counts).filter(([, value]) => typeof value === "number");
    console.log(
      `Import ${found.id} from ${found.source} is ${found.state}${found.error === null ? "" : `: ${found.error}`}`,
    );
    for (const [name, value] of counts) console.log(`  ${name.padEnd(12)}${value}`);
  }
  return 0;
}

/** `weir import undo`: deletes events, and tells how many persons have none left. */
export async function undoImport(given: Given, config: Config): Promise<number> {
  const [id] = given.words;
  if (id === undefined) throw new UsageError("ID is missing: `weir import list` shows the ids.");
  const folder = folderOf(id, given.options.state, config);
  const project =
    given.options.project ?? (State.isIn(folder) ? String(new State(folder).readFacts().project) : undefined);
  if (project === undefined) throw new UsageError("--project is missing.");
  const answer = await withWeir(given, wholeNumber("--project", project), config, async (weir) => {
    const path = `imports/${encodeURIComponent(id)}/`;
    const { id: known } = await weir.ask<ImportBody>("GET", path);
    const persons_left = await personsLeft(weir, known);
    return { ...(await weir.ask<JsonObject>("POST", `${path}undo/`, {})), persons_left };
  });
  console.log(given.options.json ? JSON.stringify(answer) : undoneText(id, answer.persons_left));
  return 0;
}

/** Counted while the events are there; null where the key may not query. */
async function personsLeft(weir: WeirClient, importId: string): Promise<number | null> {
  try {
    return await personsOnlyOf(weir, importId);
  } catch (error) {
    if (error instanceof TerminalError && error.code === "weir_refused") return null;
    throw error;
  }
}

function undoneText(id: string, persons: number | null): string {
  const left = persons === null ? "how many, this key may not ask" : `${count(persons)} of them have no events now`;
  return `Import ${id} is undone: its events are deleted. Persons stay (${left}).`;
}
