import { findOwner, listEnvironments, listProjects } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import { describeError, TerminalError } from "../../types/mod.ts";
import { makeDemoProject } from "./project.ts";
import { type DemoWish, sendDemo } from "./send.ts";

const REQUEST_TIMEOUT_MS = 60_000;

/** What was made: an environment and how many events it has. */
export interface Demo {
  id: number;
  name: string;
  api_token: string;
  events: number;
}

/**
 * Makes a project with months of events of a made-up product, sent to the running Weir like any others.
 * Throws TerminalError `not_found`, `unreachable`, `other_weir` or `demo_busy`, with a text for the terminal.
 */
export async function makeDemo(wish: DemoWish, db: Db): Promise<Demo> {
  await requireRunning(wish.url);
  await requireSameRecords(wish.url, db);
  const made = await db.write(async (tx) => {
    const owner = await findOwner(tx);
    if (owner === null) throw new TerminalError("not_found", "There is no user yet: run `weir start` once.");
    const who = { userId: null, atMs: Date.now() };
    const made = await makeDemoProject(tx, who, { organizationId: owner.organizationId, userId: owner.id });
    if (made === null) throw new TerminalError("demo_busy", "Another demo project is being made: try again later.");
    return made;
  });
  const { id, name, apiToken } = made.environment;
  return { id, name, api_token: apiToken, events: await sendDemo(wish, made.environment, db) };
}

/** Before anything is made. */
async function requireRunning(url: string): Promise<void> {
  const problem = await fetch(`${url}/_readiness`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }).then(
    async (response) => (response.ok ? null : (await response.text()).trim()),
    describeError,
  );
  if (problem !== null) {
    throw new TerminalError("unreachable", `There is no Weir ready at ${url} (${problem}): run \`weir start\` first.`);
  }
}

/** Another Weir may have the address by now: it does not know the keys of these records. */
async function requireSameRecords(url: string, db: Db): Promise<void> {
  const token = await db.read(async (tx) => {
    const { items: projects } = await listProjects(tx, { limit: 1, offset: 0 });
    const [environment] = await listEnvironments(
      tx,
      projects.map(({ id }) => id),
    );
    return environment?.apiToken;
  });
  if (token === undefined) return;
  const { status } = await fetch(`${url}/flags/?v=2`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, distinct_id: "weir demo" }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (status === 401) {
    throw new TerminalError(
      "other_weir",
      `The Weir at ${url} works on another data folder (WEIR_DATA_DIR) than this one.`,
    );
  }
}
