import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Subprocess } from "bun";
import { isRunning, processesNaming, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const WAIT_MS = 60_000;

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
}, 90_000);
afterAll(async () => {
  for (const role of roles) role.kill("SIGKILL");
  await weir[Symbol.asyncDispose]();
});

/** `weir query` beside the running Weir. */
function startRole(): Subprocess {
  const role = Bun.spawn([process.execPath, "src/main.ts", "query"], {
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
  until("the query to be taken", WAIT_MS, async () => (await poll(id)).query_status.pickup_time !== null);
const completed = (id: string) =>
  until("the query to be done", WAIT_MS, async () => {
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
  await until("its query processes to end", WAIT_MS, () => {
    const left = processesNaming(`run/query-${first.pid}-`);
    return left.every(({ pid }) => !isRunning(pid));
  });
  startRole();
  expect(await completed(id)).toMatchObject({ error: false, results: { results: [[899_999_997]] } });
}, 120_000);

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
}, 120_000);

test("the role ends on a signal, and gives back what it had in hand", async () => {
  const endless = await begin(ENDLESS);
  await pickedUp(endless);
  const role = roles.at(-1)!;
  role.kill("SIGTERM");
  expect(await role.exited).toBe(0);
  expect((await poll(endless)).query_status.complete).toBe(false);
  await weir.api(`/query/${endless}/`, { method: "DELETE" });
}, 120_000);
