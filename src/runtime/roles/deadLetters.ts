import type { Config } from "../../config.ts";
import { type Catalog, openCatalog, type StoredDeadLetter } from "../../lake/mod.ts";
import { readArguments } from "../../manage/mod.ts";
import { connectBus } from "../../stream/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import { brokerUrl } from "../brokerUrl.ts";
import { openExistingRecords } from "../paths.ts";
import { redrive } from "../redrive.ts";

const USAGE = `usage: weir dead-letters list [--project ID] [--all] [--limit N] [--json]
       weir dead-letters redrive ID [ID …]
       weir dead-letters redrive --every [--project ID]

  list      events that were set aside, newest first; --all also those that were sent in again
  redrive   sends them in again, on the lane they came from`;

const OPTIONS = {
  project: { type: "string" },
  limit: { type: "string" },
  all: { type: "boolean" },
  every: { type: "boolean" },
  json: { type: "boolean" },
} as const;

const LIST_LIMIT = 100;
const REDRIVE_PAGE = 500;

/** `weir dead-letters`. Throws TerminalError `invalid_arguments` with the usage. */
export async function runDeadLetters(config: Config, argv: string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: argv, allowPositionals: true, options: OPTIONS }, USAGE);
  const [action, ...ids] = positionals;
  const teamId = values.project === undefined ? null : Number(values.project);
  const db = await openExistingRecords(config);
  const catalog = openCatalog(db);
  try {
    if (action === "list") {
      const page = { limit: Number(values.limit ?? LIST_LIMIT), offset: 0 };
      const { items: letters } = await catalog.readDeadLetters({ teamId, waitingOnly: values.all !== true }, page);
      console.log(values.json ? JSON.stringify(letters) : letters.map(line).join("\n") || "There are none.");
      return 0;
    }
    if (action !== "redrive" || (ids.length === 0) !== (values.every === true)) {
      throw new TerminalError("invalid_arguments", USAGE);
    }
    const letters = values.every ? await waiting(catalog, teamId) : await named(catalog, ids);
    return await redriveAll(config, catalog, letters);
  } finally {
    await db.close();
  }
}

async function waiting(catalog: Catalog, teamId: number | null): Promise<StoredDeadLetter[]> {
  const letters: StoredDeadLetter[] = [];
  for (;;) {
    const page = { limit: REDRIVE_PAGE, offset: letters.length };
    const next = (await catalog.readDeadLetters({ teamId, waitingOnly: true }, page)).items;
    letters.push(...next);
    // Oldest first, as they came.
    if (next.length < REDRIVE_PAGE) return letters.filter(({ event }) => event !== "").reverse();
  }
}

async function named(catalog: Catalog, ids: string[]): Promise<StoredDeadLetter[]> {
  const letters: StoredDeadLetter[] = [];
  for (const id of ids) {
    const letter = await catalog.findDeadLetter(Number(id), null);
    if (letter === null) throw new TerminalError("not_found", `There is no dead letter ${id}.`);
    if (letter.redrivenAtMs === null) letters.push(letter);
  }
  return letters;
}

async function redriveAll(config: Config, catalog: Catalog, letters: StoredDeadLetter[]): Promise<number> {
  const current = await catalog.currentGeneration();
  if (current?.state !== "open") throw new TerminalError("streams_unavailable", "There are no open event streams.");
  const bus = await connectBus(brokerUrl(config), { name: "weir-dead-letters" });
  const publisher = bus.publisher({ ...config, ...current });
  try {
    for (const letter of letters) await redrive({ catalog, publisher }, letter, Date.now());
    console.log(`${letters.length} events were sent in again.`);
    return 0;
  } finally {
    publisher.close();
    await bus.close();
  }
}

function line({ id, teamId, lane, reason, detail, event, atMs }: StoredDeadLetter): string {
  const name = event === "" ? "unreadable" : (JSON.parse(event) as { event: string }).event;
  return `${id}  project ${teamId}  ${new Date(atMs).toISOString()}  ${lane}  ${JSON.stringify(name)}  ${reason}: ${detail}`;
}
