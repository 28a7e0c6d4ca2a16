import type { Config } from "../config.ts";
import { inTurns } from "../intake/mergeTurns.ts";
import { redrive } from "../intake/redrive.ts";
import { type Catalog, openCatalog, type StoredDeadLetter } from "../lake/mod.ts";
import { brokerAddress } from "../roles/urls.ts";
import { connectBus } from "../stream/mod.ts";
import { TerminalError, UsageError } from "../types/mod.ts";
import { type Arguments, unexpected, wholeNumber } from "./kit/command.ts";
import type { Printed } from "./kit/output.ts";
import type { Deed } from "./kit/records.ts";

const LIST_LIMIT = 100;
const REDRIVE_PAGE = 500;

type DeadLettersArguments = Arguments<{ project: "text"; limit: "text"; all: "flag"; every: "flag"; json: "flag" }>;

/** `weir dead-letters`. Throws UsageError; the deed throws TerminalError `not_found` or `streams_unavailable`. */
export function readDeadLetters({ options, words }: DeadLettersArguments, config: Config): Deed {
  const [action, ...given] = words;
  const teamId = options.project === undefined ? null : wholeNumber("--project", options.project);
  if (action === "list") {
    if (given[0] !== undefined) throw unexpected(given[0]);
    const limit = wholeNumber("--limit", options.limit ?? String(LIST_LIMIT));
    return (db) => list(openCatalog(db), { teamId, waitingOnly: options.all !== true }, limit, options.json === true);
  }
  if (action !== "redrive") throw new UsageError("Name an action: list or redrive.");
  if ((given.length === 0) !== (options.every === true)) {
    throw new UsageError("Name the ids of the dead letters, or --every.");
  }
  if (teamId !== null && !options.every) throw new UsageError("--project is for --every: an id names its project.");
  const ids = given.map((id) => wholeNumber("ID", id));
  return async (db) => {
    const catalog = openCatalog(db);
    return redriveAll(config, catalog, options.every ? waiting(catalog, teamId) : named(catalog, ids));
  };
}

type Selection = Parameters<Catalog["readDeadLetters"]>[0];

async function list(catalog: Catalog, selection: Selection, limit: number, asJson: boolean): Promise<Printed> {
  const { items: letters } = await catalog.readDeadLetters(selection, { limit, offset: 0 });
  return { text: asJson ? JSON.stringify(letters) : letters.map(line).join("\n") || "There are no dead letters." };
}

/** Those that wait now, oldest first; what cannot be read stays. Letters of what is sent in here, which fails again, are not among them. */
async function* waiting(catalog: Catalog, teamId: number | null): AsyncGenerator<StoredDeadLetter> {
  const newest = await catalog.readDeadLetters({ teamId, waitingOnly: true }, { limit: 1, offset: 0 });
  const upTo = newest.items[0]?.id ?? 0;
  for (let above = 0; above < upTo; ) {
    const ids = await catalog.waitingDeadLetters({ teamId, above, upTo }, REDRIVE_PAGE);
    for (const id of ids) {
      // One by one: a letter may have a megabyte.
      const letter = await catalog.findDeadLetter(id, null);
      if (letter !== null && letter.redrivenAtMs === null && letter.event !== "") yield letter;
    }
    above = ids.at(-1) ?? upTo;
  }
}

async function* named(catalog: Catalog, ids: readonly number[]): AsyncGenerator<StoredDeadLetter> {
  const letters: StoredDeadLetter[] = [];
  for (const id of ids) {
    const letter = await catalog.findDeadLetter(id, null);
    if (letter === null) throw new TerminalError("not_found", `There is no dead letter ${id}.`);
    if (letter.redrivenAtMs === null) letters.push(letter);
  }
  yield* letters;
}

async function redriveAll(
  config: Config,
  catalog: Catalog,
  letters: AsyncIterable<StoredDeadLetter>,
): Promise<Printed> {
  const current = await catalog.currentGeneration();
  if (current?.state !== "open") throw new TerminalError("streams_unavailable", "There are no open event streams.");
  const bus = await connectBus(brokerAddress(config), { name: "weir-dead-letters" });
  const publisher = bus.publisher({ ...config, ...current, inTurns });
  let sent = 0;
  try {
    for await (const letter of letters) {
      await redrive({ catalog, publisher }, letter, Date.now());
      sent++;
    }
    return { text: `${sent} events are sent in again.` };
  } finally {
    publisher.close();
    await bus.close();
  }
}

function line({ id, teamId, lane, reason, detail, event, atMs }: StoredDeadLetter): string {
  const name = event === "" ? "unreadable" : (JSON.parse(event) as { event: string }).event;
  return `${id}  project ${teamId}  ${new Date(atMs).toISOString()}  ${lane}  ${JSON.stringify(name)}  ${reason}: ${detail}`;
}
