import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { openCatalog } from "../../src/lake/mod.ts";
import { openDb } from "../../src/schema.ts";
import { type Broker, startBroker } from "../../src/stream/mod.ts";
import { weirOn } from "../commands/weirProcess.ts";
import { natsServerPath } from "../support/broker.ts";
import { HandWorker, KeptWorker, KILLER_WORKER } from "../support/handWorker.ts";
import { HANG_MS, isStopped, until } from "../support/processes.ts";
import type { IngestionStatus } from "../support/weir.ts";
import { PASSWORD, Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const LOOKS = { width: 1440, scheme: "light" } as const;
const SETTINGS = { WEIR_LEASE_TTL_MS: "2000", WEIR_FLUSH_MS: "100", WEIR_PUBLISH_TIMEOUT_MS: "3000" };
const COUNTS = ["accepted", "queued", "stored", "duplicates", "dropped", "dead_letters"] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

/** What somebody reads off the page, by the words beside each number. */
async function shown({ page }: Visitor, label: string): Promise<Counts> {
  const read = `((label) => {
    const terms = Array.from(document.querySelectorAll('dl[aria-label="' + label + '"] > div'));
    return terms.map((term) => [term.querySelector("dt").textContent, term.querySelector("dd").textContent]);
  })(${JSON.stringify(label)})`;
  const terms = (await page.evaluate(read)) as [string, string][];
  const entries = terms.map(([name, value]) => [
    name.toLowerCase().replace(" ", "_"),
    Number(value.replaceAll(",", "")),
  ]);
  return Object.fromEntries(entries) as Counts;
}

const OWN = "Events of this project";
const ALL = "Events of all projects";

const countsOf = (status: Counts): Counts => Object.fromEntries(COUNTS.map((name) => [name, status[name]])) as Counts;

function expectSum(counts: Counts): void {
  const { accepted, queued, stored, duplicates, dropped, dead_letters } = counts;
  expect(queued + stored + duplicates + dropped + dead_letters).toBe(accepted);
}

/** `weir status --json` of the same folder. */
async function printed(
  stage: Stage,
  env: Record<string, string> = {},
): Promise<{ events: IngestionStatus; queued: { events: number } }> {
  const { out, error, code } = await weirOn(stage.weir.dataDir, ["status", "--json"], env);
  if (code !== 0) throw new Error(error);
  return JSON.parse(out);
}

/** Waits until the page shows what `ingestion_status` says, which stands still; gives that. */
async function expectSame(stage: Stage, visitor: Visitor, env: Record<string, string> = {}): Promise<Counts> {
  const status = countsOf(await stage.weir.ingestionStatus());
  expectSum(status);
  for (const label of [OWN, ALL]) {
    await until(`the page to show ${JSON.stringify(status)} as ${label}`, HANG_MS, async () =>
      Bun.deepEquals(await shown(visitor, label), status),
    );
  }
  const { events, queued } = await printed(stage, env);
  expect(countsOf(events)).toEqual(status);
  expect(queued.events).toBe(status.queued);
  expect(countsOf(await stage.weir.ingestionStatus())).toEqual(status);
  return status;
}

const event = (i: number, name = "seen") => ({ event: name, distinct_id: `user-${i % 40}`, uuid: crypto.randomUUID() });
const events = (count: number) => Array.from({ length: count }, (_, i) => event(i));

describe("the page Health in a chaos run", () => {
  let stage: Stage;
  let visitor: Visitor;
  beforeAll(async () => {
    stage = await Stage.open({ env: SETTINGS });
    await stage.logIn();
    visitor = await stage.enter(LOOKS);
    await visitor.open("/project/1/health");
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("says why nothing is known of the messages", async () => {
    const { page } = visitor;
    const path = /\/deliveries\/status\/$/;
    visitor.expects(/status of 500 /);
    const body = JSON.stringify({ type: "server_error", code: "error", detail: "The lake is dry.", attr: null });
    await page.route(path, (route) => route.fulfill({ status: 500, body }));
    await page.reload();
    const messages = page.getByRole("region", { name: "Messages" });
    await visitor.sees(messages.getByText("The lake is dry."));
    await visitor.expectFine();
    await page.unroute(path);
    await page.reload();
    await visitor.sees(messages.locator("p.quiet"));
  });

  test("says that no event has come, and what became of the first ones", async () => {
    await visitor.sees("No event has come yet");
    await visitor.expectFine();
    const sent = events(100);
    await stage.weir.deliver(sent);
    await stage.weir.deliver(sent.slice(0, 7));
    await stage.weir.deliver([{ event: "", distinct_id: "nobody" }, event(1)]);
    await stage.weir.waitStored();
    const status = await expectSame(stage, visitor);
    expect(status).toEqual({ accepted: 109, queued: 0, stored: 101, duplicates: 7, dropped: 1, dead_letters: 0 });
    await visitor.sees(visitor.page.getByRole("status").getByText("Events come through"));
    await visitor.sees("missing event name");
    await visitor.expectFine();
  });

  test("shows what waits while the worker stands still, and that nothing of it is lost once it is killed", async () => {
    const worker = stage.weir.pidOf("worker-0");
    process.kill(worker, "SIGSTOP");
    await until("the worker to stand still", HANG_MS, () => isStopped(worker), 5);
    const before = await stage.weir.ingestionStatus();
    await stage.weir.deliver(events(250));
    const waiting = await expectSame(stage, visitor);
    expect(waiting.queued).toBe(before.queued + 250);
    await visitor.sees(/Events (?:come through late|are not being stored)/);
    await visitor.expectFine();
    stage.weir.kill9("worker-0");
    await until("the next worker", HANG_MS, () => stage.weir.isReplaced("worker-0", worker));
    await stage.weir.waitStored();
    expect((await expectSame(stage, visitor)).stored).toBe(before.stored + 250);
    await visitor.expectFine();
  });

  test("adds up at every moment while events come in and processes die, and never runs ahead or back", async () => {
    let isOver = false;
    const sending = (async () => {
      while (!isOver) await stage.weir.deliver(events(40));
    })();
    const last = { accepted: 0, stored: 0 };
    let readings = 0;
    const reading = (async () => {
      while (!isOver) {
        for (const label of [OWN, ALL]) {
          const counts = await shown(visitor, label);
          expectSum(counts);
          const now = await stage.weir.ingestionStatus().catch(() => null);
          if (now === null) continue;
          for (const name of ["accepted", "stored"] as const) expect(counts[name]).toBeLessThanOrEqual(now[name]);
          if (label === OWN) {
            for (const name of ["accepted", "stored"] as const) {
              expect(counts[name]).toBeGreaterThanOrEqual(last[name]);
              last[name] = counts[name];
            }
          }
          readings++;
        }
        await Bun.sleep(50);
      }
    })();
    visitor.expects(/status of 50[0234] /);
    try {
      for (const role of ["worker-0", "nats-server", "worker-0", "api"] as const) {
        const killed = stage.weir.kill9(role);
        await until(`another ${role}`, HANG_MS, () => stage.weir.isReplaced(role, killed));
        await until("figures", HANG_MS, () => stage.weir.ingestionStatus().catch(() => null));
        const [before, between, after] = [
          await stage.weir.ingestionStatus(),
          await until("the command", HANG_MS, () => printed(stage).catch(() => null)),
          await until("figures", HANG_MS, () => stage.weir.ingestionStatus().catch(() => null)),
        ];
        expectSum(between.events);
        for (const name of ["accepted", "stored"] as const) {
          expect(between.events[name]).toBeGreaterThanOrEqual(before[name]);
          expect(between.events[name]).toBeLessThanOrEqual(after[name]);
        }
      }
    } finally {
      isOver = true;
      await Promise.all([sending, reading]);
    }
    expect(readings).toBeGreaterThan(0);
    await stage.weir.waitStored();
    await expectSame(stage, visitor);
  });

  test("draws what was, once a minute is over", async () => {
    const canvas = visitor.page.locator(".health-plot canvas");
    await until("the first minute to be drawn", HANG_MS, async () => (await canvas.count()) > 0);
    // The first minute may have ended before the first event.
    await until("a minute with events", HANG_MS, async () => {
      const past = (await (await stage.weir.api("/ingestion_history/?steps=30")).json()) as {
        accepted: (number | null)[];
      };
      return past.accepted.some((value) => value !== null && value > 0);
    });
    for (const range of ["24 hours", "7 days", "90 days"]) {
      await visitor.page.getByText(range, { exact: true }).click();
      await visitor.sees(visitor.page.locator(".health-plot canvas"));
      await visitor.expectFine();
    }
  });

  for (const looks of [
    { width: 1440, scheme: "dark" },
    { width: 360, scheme: "light" },
    { width: 360, scheme: "dark" },
  ] as const) {
    test(`is fine ${looks.width} px wide and ${looks.scheme}`, async () => {
      const other = await stage.enter(looks);
      await other.open("/project/1/health");
      await other.sees(other.page.locator(".health-plot canvas"));
      await other.sees(other.page.getByRole("heading", { name: "The installation" }));
      await other.page.locator(".health-list summary").first().click();
      await other.page.locator(".health-partitions summary").click();
      await other.expectFine();
      await other.leave();
    });
  }

  test("shows that compaction failed, whatever the error says", async () => {
    const said = `<img src=x onerror="alert(1)">`;
    const db = await openDb({ databaseUrl: null, sqlitePath: join(stage.weir.dataDir, "weir.db") });
    await openCatalog(db).noteCompactionFailure("events", said);
    await db.close();
    const other = await stage.enter({ width: 360, scheme: "light" });
    await other.open("/project/1/health");
    await other.sees("Compaction (events) failed within the last hour, 1 time so far:");
    await other.sees(said);
    await other.expectFine();
    await other.leave();
  });

  describe("for a member", () => {
    let window: BrowserContext;
    afterAll(() => window.close());

    test("has the project's figures, and nothing of the installation or of other projects", async () => {
      const invite = { target_email: "bea@example.com", level: 1 };
      const { json } = await stage.weir.manage("POST", "/api/organizations/@current/invites/", invite);
      const { url } = json as { url: string };
      window = await stage.newContext();
      const path = `/api/signup/${url.slice(url.lastIndexOf("/") + 1)}/`;
      const data = { first_name: "Bea", password: PASSWORD };
      expect((await window.request.post(stage.weir.url + path, { data })).status()).toBe(200);
      const member = await stage.enter(LOOKS, window);
      const asked: string[] = [];
      member.page.on("request", (request) => asked.push(request.url()));
      await member.open("/project/1/health");
      const status = countsOf(await stage.weir.ingestionStatus());
      await until("the figures", HANG_MS, async () => Bun.deepEquals(await shown(member, OWN), status));
      await member.sees(member.page.getByRole("heading", { name: "Dead letters" }));
      expect(await member.page.getByRole("heading", { name: "The installation" }).count()).toBe(0);
      expect(asked.filter((url) => url.includes("/installation/"))).toEqual([]);
      await member.expectFine();
      const refused = await member.page.request.get(`${stage.weir.url}/api/installation/status/`);
      expect(refused.status()).toBe(403);
    });
  });
});

describe("a broker that is stopped, and started again later", () => {
  let dataDir: string;
  let broker: Broker;
  const begin = () => startBroker({ dataDir, natsServerPath: natsServerPath(), maxFileStoreBytes: 2 ** 35 });
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "weir-broker-"));
    broker = await begin();
  });
  afterAll(async () => {
    await broker.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("the page says that nothing is taken in, keeps the figures of before, and goes on by itself", async () => {
    const env = { NATS_URL: broker.url };
    await using stage = await Stage.open({ env: { ...SETTINGS, ...env } });
    await stage.logIn();
    const visitor = await stage.enter(LOOKS);
    await visitor.open("/project/1/health");
    await stage.weir.deliver(events(30));
    await stage.weir.waitStored();
    const before = await expectSame(stage, visitor, env);
    await broker.stop();
    visitor.expects(/status of 503 /);
    await visitor.sees("No events are taken in now");
    expect((await stage.weir.api("/ingestion_status/")).status).toBe(503);
    expect((await stage.weir.batch(events(1))).status).toBe(503);
    const status = await weirOn(stage.weir.dataDir, ["status", "--json"], env);
    expect([status.code, status.out]).toEqual([1, ""]);
    expect(await shown(visitor, OWN)).toEqual(before);
    await visitor.sees(/newer figures cannot be read/);
    await visitor.expectFine();
    broker = await begin();
    await stage.weir.deliver(events(10));
    await stage.weir.waitStored();
    expect((await expectSame(stage, visitor, env)).stored).toBe(40);
    await visitor.sees(visitor.page.getByRole("status").getByText("Events come through"));
    await visitor.expectFine();
  });
});

describe("dead letters and warnings on the page", () => {
  test("show strangers' texts as texts, and an event is stored once it is sent in again", async () => {
    await using stage = await Stage.open({ env: { ...SETTINGS, WEIR_WORKERS: "0" } });
    await stage.logIn();
    const visitor = await stage.enter(LOOKS);
    const options = { dataDir: stage.weir.dataDir, env: SETTINGS };
    const evil = "<img src=x onerror=alert(1)>";
    {
      await using kept = new KeptWorker({ ...options, command: [KILLER_WORKER] });
      await stage.weir.deliver([...events(20), { ...event(1, "killer"), properties: { plan: evil } }, ...events(20)]);
      await stage.weir.deliver([{ event: "", distinct_id: evil }]);
      await stage.weir.waitStored();
      expect(kept.deaths).toBeGreaterThanOrEqual(1);
    }
    await using worker = new HandWorker(options);
    await visitor.open("/project/1/health");
    expect((await expectSame(stage, visitor)).dead_letters).toBe(1);
    const letters = visitor.page.locator("section", {
      has: visitor.page.getByRole("heading", { name: "Dead letters" }),
    });
    await letters.locator("summary").click();
    await visitor.sees(letters.getByText("killed the worker"));
    await visitor.sees(letters.getByText(evil));
    await visitor.expectFine();
    const warnings = visitor.page.locator("section", { has: visitor.page.getByRole("heading", { name: "Warnings" }) });
    await warnings.locator("summary", { hasText: "missing event name" }).click();
    await visitor.sees(warnings.getByText(evil));
    await visitor.expectFine();
    await letters.getByRole("button", { name: "Send in again killer" }).click();
    await visitor.sees("1 event sent in again");
    await stage.weir.waitStored();
    expect(await expectSame(stage, visitor)).toMatchObject({ dead_letters: 0, stored: 41 });
    await visitor.sees(letters.getByText("sent in again"));
    await visitor.expectFine();
    expect(worker.isRunning).toBe(true);
  });
});
