import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { MAIN } from "../support/main.ts";
import { HANG_MS, isRunning, processesNaming, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

interface Status {
  complete: boolean;
  error: boolean;
  pickup_time: string | null;
  results: { results: unknown } | null;
}

let weir: Weir;
const roles: Subprocess[] = [];
beforeAll(async () => {
  // The main process leaves background queries to others.
  weir = await startWeir({ env: { WEIR_BACKGROUND_QUERIES: "0" } });
});
afterAll(async () => {
  for (const role of roles) role.kill("SIGKILL");
  await weir[Symbol.asyncDispose]();
});

/** `weir query` beside the running Weir. */
function startRole(): Subprocess {
  const role = Bun.spawn([process.execPath, MAIN, "query"], {
    cwd: new URL("../..", import.meta.url).pathname,
    env: { ...process.env, WEIR_DATA_DIR: weir.dataDir },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  roles.push(role);
  return role;
}

async function begin(query: string): Promise<string> {
  const id = crypto.randomUUID();
  const body = { query: { kind: "HogQLQuery", query }, refresh: "force_async", client_query_id: id };
  expect((await weir.api("/query/", { body })).status).toBe(202);
  return id;
}

async function poll(id: string): Promise<{ status: number; query_status: Status }> {
  const response = await weir.api(`/query/${id}/`);
  return { status: response.status, ...((await response.json()) as { query_status: Status }) };
}

const pickedUp = (id: string) =>
  until("the query to be taken", HANG_MS, async () => (await poll(id)).query_status.pickup_time !== null);
const completed = (id: string) =>
  until("the query to be done", HANG_MS, async () => {
    const { query_status } = await poll(id);
    return query_status.complete ? query_status : null;
  });

const SECONDS_LONG = "select sum(number % 7) from numbers(300000000)";
const ENDLESS = "select sum(number % 7) from numbers(1000000000000)";

test("a background query survives the kill -9 of the process that runs it", async () => {
  const first = startRole();
  const id = await begin(SECONDS_LONG);
  await pickedUp(id);
  first.kill("SIGKILL");
  await first.exited;
  expect((await poll(id)).query_status.complete).toBe(false);
  // What it had started ends by itself.
  await until("its query processes to end", HANG_MS, () => {
    const left = processesNaming(`run/query-${first.pid}-`);
    return left.every(({ pid }) => !isRunning(pid));
  });
  startRole();
  expect(await completed(id)).toMatchObject({ error: false, results: { results: [[899_999_997]] } });
});

test("a cancel reaches the process that runs it, which goes on with the next", async () => {
  if (roles.every((role) => role.exitCode !== null || role.signalCode !== null)) startRole();
  const endless = await begin(ENDLESS);
  await pickedUp(endless);
  const next = await begin("select 41 + 1");
  expect((await poll(next)).query_status.pickup_time).toBeNull();
  const reply = await weir.api(`/query/${endless}/`, { method: "DELETE" });
  expect(await reply.json()).toEqual({ message: "Query task revoked" });
  expect(await completed(next)).toMatchObject({ error: false, results: { results: [[42]] } });
  expect((await poll(endless)).status).toBe(404);
});

test("the role ends on a signal, and gives back what it had in hand", async () => {
  const endless = await begin(ENDLESS);
  await pickedUp(endless);
  const role = roles.at(-1)!;
  role.kill("SIGTERM");
  expect(await role.exited).toBe(0);
  expect((await poll(endless)).query_status.complete).toBe(false);
  await weir.api(`/query/${endless}/`, { method: "DELETE" });
});

/** By process, that of the api with an empty name: its calculations, and those of them that failed. */
type Figures = Map<string, { count: number; failed: number }>;

async function scraped(): Promise<{ text: string; figures: Figures }> {
  const text = await (await fetch(`${weir.url}/metrics`)).text();
  const figures: Figures = new Map();
  const SAMPLE =
    /^weir_query_(duration_seconds_count|failures_total)\{kind="HogQLQuery"(?:,process="([^"]+)")?\} (\d+)$/gm;
  for (const [, name, process = "", value] of text.matchAll(SAMPLE)) {
    const entry = figures.getOrInsertComputed(process, () => ({ count: 0, failed: 0 }));
    entry[name === "failures_total" ? "failed" : "count"] = Number(value);
  }
  return { text, figures };
}

/** Who has calculated something while `body` ran, and how much. */
async function calculatedDuring(body: () => Promise<void>): Promise<[process: string, count: number][]> {
  const before = (await scraped()).figures;
  await body();
  const after = (await scraped()).figures;
  return [...after].flatMap(([process, { count }]) => {
    const more = count - (before.get(process)?.count ?? 0);
    return more === 0 ? [] : [[process, more] as [string, number]];
  });
}

const gauge = async (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec((await scraped()).text)?.[1]);
const claims = () => {
  const db = new Database(join(weir.dataDir, "weir.db"), { readonly: true });
  try {
    return db.query("select 1 from query_claims").all().length;
  } finally {
    db.close();
  }
};
const inHand = (count: number) => until(`${count} questions in hand`, HANG_MS, () => claims() === count);

let salt = 0;
/** A question that a client waits for, and that nobody has asked before. */
const waitFor = (query: string, more: object = {}, signal?: AbortSignal) =>
  fetch(`${weir.url}/api/environments/${weir.environmentId}/query/`, {
    method: "POST",
    headers: { authorization: `Bearer ${weir.personalKey}`, "content-type": "application/json" },
    body: JSON.stringify({ query: { kind: "HogQLQuery", query: `${query} -- ${++salt}` }, ...more }),
    signal,
  });

describe("a question that its client waits for", () => {
  let two: Subprocess[] = [];
  /** The process that is asked first for project 1, and the other one. */
  let [first, second] = ["", ""];
  const roleOf = (process: string) => two.find(({ pid }) => process.startsWith(`query-${pid}-`))!;

  test("is calculated by the same process for each project", async () => {
    two = [startRole(), startRole()];
    await until("both to be known", HANG_MS, async () => (await gauge("weir_remote_query_processes")) === 2);
    const ask = async () => expect((await waitFor("select 1")).status).toBe(200);
    const ofOne = await calculatedDuring(async () => {
      for (let i = 0; i < 3; i++) await ask();
    });
    expect(ofOne).toEqual([[expect.stringMatching(/^query-/), 3]]);
    first = ofOne[0]![0];
    // Half of all projects go to the other one.
    for (let tries = 0; second === "" && tries < 40; tries++) {
      await weir.enterFreshProject();
      const [[process] = [""]] = await calculatedDuring(ask);
      if (process !== first) second = process;
    }
    expect(second).toStartWith("query-");
    weir.environmentId = 1;
  });

  test("is answered when the process dies that has it in hand", async () => {
    const answers = await calculatedDuring(async () => {
      const reply = waitFor(SECONDS_LONG);
      await inHand(1);
      roleOf(first).kill("SIGKILL");
      expect(await (await reply).json()).toMatchObject({ results: [[899_999_997]] });
    });
    expect(answers).toEqual([[second, 1]]);
  });

  test("ends where it runs, when it is ended", async () => {
    const failed = async () => (await scraped()).figures.get(second)!.failed;
    const before = await failed();
    const id = crypto.randomUUID();
    const reply = waitFor(ENDLESS, { client_query_id: id });
    await inHand(1);
    await weir.api(`/query/${id}/`, { method: "DELETE" });
    expect(await (await reply).json()).toMatchObject({ code: "query_cancelled" });
    await until("the calculation to end", HANG_MS, async () => (await failed()) === before + 1);
  });

  test("has its error, with the place in its text", async () => {
    const [[process] = [""]] = await calculatedDuring(async () => {
      const reply = await waitFor("select nothing_of_this_name(1)");
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({
        type: "validation_error",
        extra: { start: 7, end: expect.any(Number) },
      });
    });
    expect(process).toBe(second);
  });

  test("does not wait for those of another project", async () => {
    const client = new AbortController();
    const storm = Array.from({ length: 12 }, () => waitFor(ENDLESS, {}, client.signal).catch(() => null));
    await inHand(12);
    await weir.enterFreshProject();
    expect(await (await waitFor("select 41 + 1")).json()).toMatchObject({ results: [[42]] });
    expect(claims()).toBe(12);
    client.abort();
    await Promise.all(storm);
    await inHand(0);
  });

  test("is answered by the api process when no other is left", async () => {
    weir.environmentId = 1;
    const answers = await calculatedDuring(async () => {
      const reply = waitFor(SECONDS_LONG);
      await inHand(1);
      roleOf(second).kill("SIGTERM");
      expect(await roleOf(second).exited).toBe(0);
      expect(await (await reply).json()).toMatchObject({ results: [[899_999_997]] });
    });
    expect(answers).toEqual([["", 1]]);
  });
});
