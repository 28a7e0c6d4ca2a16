import {
  createInsight,
  type Environment,
  findOwner,
  listEnvironments,
  listProjects,
  recordActivity,
  setDemoUntil,
  updateEnvironment,
} from "../../metadata/mod.ts";
import type { Db, Tx } from "../../store/mod.ts";
import { describeError, TerminalError } from "../../types/mod.ts";
import { makeProject } from "../environments/projects.ts";
import { DEMO_INSIGHTS } from "./insights.ts";
import { type DemoEvent, STAGING_HOST, tellStory } from "./story.ts";

const BATCH_EVENTS = 1000;
/** Sent again after a failure, with the same uuids: nothing is stored twice. */
const ATTEMPTS = 10;
const RETRY_PAUSE_MS = 500;
const REQUEST_TIMEOUT_MS = 60_000;
/** If this process dies, "is generating" ends after so long. */
const BUSY_FOR_MS = 2 * REQUEST_TIMEOUT_MS;

export interface DemoWish {
  people: number;
  days: number;
  /** The same seed makes the same people. */
  seed: number;
  /** Of the front that takes the events. */
  url: string;
}

/** What was made: an environment and how many events it has. */
export interface Demo {
  id: number;
  name: string;
  api_token: string;
  events: number;
}

/**
 * Makes a project with months of events of a made-up product, sent to the running Weir like any others.
 * Throws TerminalError `not_found`, `unreachable` or `other_weir`, with a text for the terminal.
 */
export async function makeDemo({ url, ...wish }: DemoWish, db: Db): Promise<Demo> {
  await requireRunning(url);
  await requireSameRecords(url, db);
  const nowMs = Date.now();
  const events = tellStory({ ...wish, nowMs });
  const environment = await db.write((tx) => makeDemoProject(tx, nowMs));
  for (let i = 0; i < events.length; i += BATCH_EVENTS) {
    await db.write((tx) => setDemoUntil(tx, environment.id, Date.now() + BUSY_FOR_MS));
    await send(url, environment.apiToken, events.slice(i, i + BATCH_EVENTS));
  }
  await db.write((tx) => setDemoUntil(tx, environment.id, 0));
  const { id, name, apiToken } = environment;
  return { id, name, api_token: apiToken, events: events.length };
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

async function makeDemoProject(tx: Tx, nowMs: number): Promise<Environment> {
  const owner = await findOwner(tx);
  if (owner === null) throw new TerminalError("not_found", "There is no user yet: run `weir start` once.");
  const who = { userId: null, atMs: nowMs };
  const made = await makeProject(tx, who, { organizationId: owner.organizationId, name: "Lantern (demo)" });
  const ownTeam = { key: "$host", value: STAGING_HOST, operator: "is_not", type: "event" };
  const environment = { ...made, settings: { is_demo: true, test_account_filters: [ownTeam] } };
  await updateEnvironment(tx, environment);
  await setDemoUntil(tx, environment.id, nowMs + BUSY_FOR_MS);
  for (const { name, description, query } of DEMO_INSIGHTS) {
    const content = { ...EMPTY_INSIGHT, name, description, query };
    const insight = await createInsight(tx, { teamId: environment.id, userId: owner.id, content, nowMs });
    const detail = { name, short_id: insight.shortId };
    const done = { teamId: environment.id, scope: "Insight" as const, itemId: String(insight.id), detail };
    await recordActivity(tx, { ...done, activity: "created", ...who });
  }
  return environment;
}

const EMPTY_INSIGHT = {
  derivedName: null,
  filters: {},
  order: null,
  deleted: false,
  saved: true,
  favorited: false,
  isSample: true,
  tags: [],
};

/** As a migration: in order, and never in the way of live events. */
async function send(url: string, token: string, events: readonly DemoEvent[]): Promise<void> {
  const batch = events.map((event) => ({ ...event, uuid: crypto.randomUUID() }));
  const body = JSON.stringify({ api_key: token, historical_migration: true, batch });
  for (let attempt = 1; ; attempt++) {
    const problem = await fetch(`${url}/batch/`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).then(async (response) => {
      const text = await response.text();
      return response.ok ? null : `${response.status} ${text}`;
    }, describeError);
    if (problem === null) return;
    if (attempt === ATTEMPTS) throw new TerminalError("unreachable", `Events were not taken by ${url}: ${problem}`);
    await Bun.sleep(RETRY_PAUSE_MS);
  }
}
