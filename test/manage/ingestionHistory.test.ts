import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type HealthFigures, openCatalog } from "../../src/lake/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

const MINUTE = 60_000;
const LANES = ["live", "history", "overflow", "identity"] as const;
const LONG = { minutesMs: 1e10, hoursMs: 1e11 };
const MACHINE = { workers: 2, files: 3, fileBytes: 4, diskFreeBytes: 5 };

interface Answer {
  step: string;
  step_ms: number;
  date_from: string;
  missing: number[];
  problem: (string | null)[];
  lag_ms: Record<string, (number | null)[]>;
  [figure: string]: unknown;
}

let server: ManageServer;
let other: string;
/** The beginning of the last minute that is over when the test begins. */
let lastMs: number;

const figuresOf = (stored: number): HealthFigures => ({
  accepted: stored + 6,
  queued: 1,
  stored,
  duplicates: 2,
  dropped: 3,
  deadLetters: 0,
  queuedMax: 9,
  lagsMs: { live: 70, history: 0, overflow: 0, identity: 8 },
});

beforeAll(async () => {
  server = await startManage();
  const made = await server.send("POST", "/api/projects/", { body: { name: "other" } });
  other = String((made.json as { id: number }).id);
  const catalog = openCatalog(server.db);
  lastMs = (await catalog.lastMinute()).atMs;
  for (const [ago, stored] of [
    [4, 100],
    [3, 110],
    [1, 130],
    [0, 140],
  ] as const) {
    const teams = new Map([
      [1, figuresOf(stored)],
      [Number(other), figuresOf(7)],
    ]);
    const note = { problem: null, teams, total: figuresOf(stored + 7), machine: MACHINE };
    await catalog.noteHealth(lastMs - ago * MINUTE, note, LONG);
  }
  await catalog.noteHealth(lastMs - 2 * MINUTE, { problem: "broker_unavailable" }, LONG);
});
afterAll(() => server.stop());

async function ask(path: string): Promise<Answer> {
  const reply = await server.send("GET", path);
  expect([path, reply.status]).toEqual([path, 200]);
  return reply.json;
}

/** The place of the last minute that the test has noted: the clock goes on. */
const placeOf = ({ date_from, step_ms }: Answer) => (lastMs - Date.parse(date_from)) / step_ms;

describe("the history of a project", () => {
  test("has a value for each minute, null where nothing is known", async () => {
    for (const alias of ["environments", "projects"]) {
      const past = await ask(`/api/${alias}/1/ingestion_history/?steps=10`);
      expect(past).toMatchObject({ step: "minute", step_ms: MINUTE });
      const at = placeOf(past);
      const last = <T>(values: T[]) => values.slice(at - 5, at + 1);
      expect(last(past.stored as number[])).toEqual([null, 100, 110, null, 130, 140] as never);
      expect(last(past.accepted as number[])).toEqual([null, 106, 116, null, 136, 146] as never);
      expect(last(past.queued_max as number[])).toEqual([null, 9, 9, null, 9, 9] as never);
      expect(last(past.lag_ms.live!)).toEqual([null, 70, 70, null, 70, 70]);
      expect(last(past.missing)).toEqual([1, 0, 0, 1, 0, 0]);
      expect(last(past.problem)).toEqual([null, null, null, "broker_unavailable", null, null]);
      for (const list of [...LANES.map((lane) => past.lag_ms[lane]!), past.queued, past.dead_letters, past.missing])
        expect(list).toHaveLength(10);
    }
  });

  test("adds up in each step", async () => {
    for (const step of ["minute", "hour"]) {
      const past = await ask(`/api/environments/1/ingestion_history/?step=${step}&steps=5`);
      const at = (name: string, i: number) => (past[name] as (number | null)[])[i] ?? null;
      let known = 0;
      for (let i = 0; i < 5; i++) {
        const accepted = at("accepted", i);
        if (accepted === null) continue;
        known++;
        const parts = ["queued", "stored", "duplicates", "dropped", "dead_letters"].map((name) => at(name, i) ?? 0);
        expect(parts.reduce((a, b) => a + b)).toBe(accepted);
      }
      expect(known).toBeGreaterThan(0);
    }
  });

  test("is that of the project alone", async () => {
    const past = await ask(`/api/environments/${other}/ingestion_history/?steps=5`);
    expect((past.stored as (number | null)[]).filter((value) => value !== null && value !== 7)).toEqual([]);
    expect(past.workers).toBeUndefined();
  });

  test("is as long as what is kept, and refuses what it cannot read", async () => {
    expect((await ask("/api/environments/1/ingestion_history/?steps=999999")).accepted).toHaveLength(2 * 24 * 60);
    expect((await ask("/api/environments/1/ingestion_history/?step=hour&steps=999999")).accepted).toHaveLength(90 * 24);
    expect((await ask("/api/environments/1/ingestion_history/")).accepted).toHaveLength(180);
    for (const [query, attr] of [
      ["step=day", "step"],
      ["steps=0", "steps"],
      ["steps=x", "steps"],
      ["steps=-1", "steps"],
      ["steps=1.5", "steps"],
    ]) {
      const reply = await server.send("GET", `/api/environments/1/ingestion_history/?${query}`);
      expect([query, reply.status, (reply.json as { attr: string }).attr]).toEqual([query!, 400, attr!]);
    }
  });
});

describe("the installation", () => {
  const PATHS = ["/api/installation/status/", "/api/installation/history/"];

  test("has the sums of all projects, and the machine", async () => {
    const past = await ask("/api/installation/history/?steps=10");
    const at = placeOf(past);
    expect((past.stored as number[]).slice(at - 3, at + 1)).toEqual([117, null, 137, 147] as never);
    expect((past.workers as number[]).slice(at - 3, at + 1)).toEqual([2, null, 2, 2] as never);
    expect((past.disk_free_bytes as number[])[at]).toBe(5);
    expect(await ask("/api/installation/status/")).toMatchObject({ state: "none", versions: { store: "sqlite" } });
  });

  test("is for admins whose key is not limited to projects", async () => {
    const statusFor = async (wish: Parameters<ManageServer["createKey"]>[0]) => {
      const { value } = await server.createKey(wish);
      return Promise.all(PATHS.map(async (path) => (await server.send("GET", path, { key: value })).status));
    };
    const scopes = ["organization:read"];
    expect(await statusFor({ scopes, level: "admin" })).toEqual([200, 200]);
    expect(await statusFor({ scopes: ["*"], level: "member" })).toEqual([403, 403]);
    expect(await statusFor({ scopes: ["project:read"], level: "owner" })).toEqual([403, 403]);
    expect(await statusFor({ scopes: ["*"], level: "owner", scopedTeams: [1] })).toEqual([403, 403]);
  });

  test("is not opened to members by a project that gives them the rights of admins", async () => {
    const body = { access_level: "admin" };
    expect((await server.send("PUT", "/api/projects/1/access_controls/", { body })).status).toBe(200);
    const { value } = await server.createKey({ scopes: ["*"], level: "member" });
    for (const path of PATHS) expect((await server.send("GET", path, { key: value })).status).toBe(403);
  });
});
