import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Dispatcher } from "../../src/alerts/delivery/dispatcher.ts";
import { newWebhookSecret } from "../../src/alerts/delivery/signature.ts";
import {
  addDeliveries,
  blankAlert,
  bootstrap,
  createAlert,
  createInsight,
  endAlertCheck,
  listDeliveries,
  type NewDelivery,
  outboxFigures,
  takeDueAlert,
  teamsWithDueAlerts,
} from "../../src/metadata/mod.ts";
import { SecretBox } from "../../src/outgoing/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { useStores } from "../support/stores.ts";
import { MailServer, Receiver } from "./receivers.ts";

const TEAM = 1;
const NO_KEYS = { projectApiKey: null, personalApiKey: null };

let dir: string;
let secrets: SecretBox;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "weir-outbox-"));
  secrets = new SecretBox({ dataDir: dir, setting: null });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const webhook = (target: string, n = 0, secret = ""): NewDelivery => ({
  kind: "alert",
  sourceId: "source",
  title: "mine",
  channel: "webhook",
  target,
  message: { type: "alert.firing", n },
  secret,
});

describe.each(useStores())("the outbox on $name", ({ withStore }) => {
  /** Runs the dispatchers of `count` processes over a store while `body` does. */
  async function dispatching(
    db: Db,
    body: () => Promise<void>,
    o: { count?: number; smtpUrl?: string; allowPrivate?: boolean; clock?: { nowMs: number } } = {},
  ): Promise<void> {
    const stopping = new AbortController();
    const one = () =>
      new Dispatcher({
        db,
        secrets,
        allowPrivate: o.allowPrivate ?? true,
        mail: { smtpUrl: o.smtpUrl ?? null, from: "weir@example.com" },
        now: () => o.clock?.nowMs ?? Date.now(),
        log: () => {},
      });
    const work = async (dispatcher: Dispatcher) => {
      while (!stopping.signal.aborted) if (!(await dispatcher.step(stopping.signal))) await Bun.sleep(5);
      await dispatcher.idle();
    };
    const works = Array.from({ length: o.count ?? 1 }, () => work(one()));
    try {
      await body();
    } finally {
      stopping.abort();
      await Promise.all(works);
    }
  }
  const put = (db: Db, ...deliveries: NewDelivery[]) =>
    db.write((tx) => addDeliveries(tx, TEAM, deliveries, Date.now()));
  const figures = (db: Db) => db.read((tx) => outboxFigures(tx, TEAM));
  const empty = (db: Db) => until("an empty outbox", HANG_MS, async () => (await figures(db)).waiting === 0);

  test("gives each receiver its messages once, in order, whichever process sends them, and signs them", () =>
    withStore(async (db) => {
      await bootstrap(db, NO_KEYS, 0);
      using receiver = new Receiver();
      const secret = newWebhookSecret();
      const sealed = secrets.seal({ secret }, "source");
      for (let n = 0; n < 6; n++) {
        await put(db, webhook(receiver.url, n, sealed));
        await Bun.sleep(2);
      }
      await dispatching(db, () => empty(db).then(() => {}), { count: 3 });
      expect(receiver.got.map(({ body }) => (JSON.parse(body) as { n: number }).n)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(receiver.keys).toHaveLength(6);
      for (const { key, headers, body } of receiver.got) {
        const signed = `${key}.${headers.get("webhook-timestamp")}.${body}`;
        const bytes = Buffer.from(secret.replace("whsec_", ""), "base64");
        const expected = createHmac("sha256", bytes).update(signed).digest("base64");
        expect(headers.get("webhook-signature")).toBe(`v1,${expected}`);
        expect(headers.get("webhook-id")).toBe(key);
      }
    }));

  test("has a dead receiver delay nobody, and gives it the same message again once it lives", () =>
    withStore(async (db) => {
      await bootstrap(db, NO_KEYS, 0);
      using dead = new Receiver();
      using failing = new Receiver();
      using living = new Receiver();
      const held = Promise.withResolvers<Response>();
      dead.answer = () => held.promise;
      failing.answer = () => new Response("away", { status: 503 });
      await put(db, webhook(dead.url), webhook(failing.url));
      await dispatching(db, async () => {
        await until("tries", HANG_MS, () => dead.got.length > 0 && failing.got.length > 0);
        for (let n = 0; n < 4; n++) await put(db, webhook(living.url, n));
        await until("the living one", HANG_MS, () => living.keys.length === 4);
        // What has arrived is noted after its answer.
        await until("the notes of it", HANG_MS, async () => (await figures(db)).waiting === 2);
        const { failing: failed, oldestAtMs } = await figures(db);
        expect(failed).toBe(1);
        expect(oldestAtMs).not.toBeNull();
        failing.answer = () => new Response("ok");
        held.resolve(new Response("ok"));
        await empty(db);
      });
      expect(failing.got.length).toBeGreaterThan(1);
      expect([dead.keys.length, failing.keys.length]).toEqual([1, 1]);
      expect(new Set(failing.got.map(({ body }) => body)).size).toBe(1);
    }));

  test("gives up what is gone at once, what is private at once, and what stays away after three days", () =>
    withStore(async (db) => {
      await bootstrap(db, NO_KEYS, 0);
      using gone = new Receiver();
      gone.answer = () => new Response("no more", { status: 410 });
      await put(db, webhook(gone.url));
      await dispatching(db, () => empty(db).then(() => {}));
      await put(db, webhook("http://127.0.0.1:1/private"));
      await dispatching(db, () => empty(db).then(() => {}), { allowPrivate: false });
      const clock = { nowMs: Date.now() + 1_000 };
      await put(db, webhook("http://127.0.0.1:1/away"));
      await dispatching(
        db,
        async () => {
          await until("a failed try", HANG_MS, async () => (await figures(db)).failing === 1);
          clock.nowMs += 3 * 86_400_000;
          await empty(db);
        },
        { clock },
      );
      const { items } = await db.read((tx) => listDeliveries(tx, { teamId: TEAM }, { limit: 10, offset: 0 }));
      expect(items.map(({ state }) => state)).toEqual(["failed", "failed", "failed"]);
      expect(items.map(({ latestError }) => latestError)).toEqual([
        expect.stringContaining("cannot be reached"),
        expect.stringContaining("private address"),
        expect.stringContaining("410"),
      ]);
      expect((await figures(db)).failed).toBe(3);
    }));

  test("hands letters to a mail server, which knows them by their id", () =>
    withStore(async (db) => {
      await bootstrap(db, NO_KEYS, 0);
      using mail = new MailServer();
      const letter = (target: string): NewDelivery => ({
        ...webhook(target),
        channel: "email",
        message: { subject: "Grüße", text: "plain", html: "<p>rich</p>" },
      });
      await put(db, letter("ada@example.com"), letter("grace@refused.example"));
      await dispatching(db, () => empty(db).then(() => {}), { smtpUrl: mail.url });
      const { items } = await db.read((tx) => listDeliveries(tx, { teamId: TEAM }, { limit: 10, offset: 0 }));
      const to = (target: string) => items.find((one) => one.target === target)!;
      expect(to("grace@refused.example")).toMatchObject({
        state: "failed",
        latestError: expect.stringContaining("550"),
      });
      expect(mail.letters).toMatchObject([{ from: "weir@example.com", to: ["ada@example.com"] }]);
      expect(mail.letters[0]!.data).toContain(`Message-ID: <${to("ada@example.com").id}@example.com>`);
    }));

  test("is of no environment that was deleted, and its alerts are not due", () =>
    withStore(async (db) => {
      await bootstrap(db, NO_KEYS, 0);
      using receiver = new Receiver();
      await put(db, webhook(receiver.url));
      await db.write((tx) => tx`update environments set deleted_at_ms = 1 where id = ${TEAM}`);
      const dispatcher = new Dispatcher({
        db,
        secrets,
        allowPrivate: true,
        mail: { smtpUrl: null, from: "" },
        now: () => Date.now(),
        log: () => {},
      });
      expect(await dispatcher.step(new AbortController().signal)).toBe(false);
      expect(receiver.got).toEqual([]);
    }));

  test("an alert in real time is due after new data, one process has it, and a check that was overtaken writes nothing", () =>
    withStore(async (db) => {
      await bootstrap(db, NO_KEYS, 0);
      const content = {
        ...{ name: "trend", derivedName: null, description: null, filters: {}, query: null, order: null },
        ...{ deleted: false, saved: true, favorited: false, isSample: false, tags: [] },
      };
      const nowMs = 1_000_000;
      const alert = await db.write(async (tx) => {
        const insight = await createInsight(tx, { teamId: TEAM, userId: 1, content, nowMs });
        const wish = { insightId: insight.id, calculationInterval: "real_time" as const };
        return createAlert(tx, { ...blankAlert(TEAM, nowMs), ...wish });
      });
      const due = (at: number) => db.read((tx) => teamsWithDueAlerts(tx, at));
      const take = (at: number) => db.write((tx) => takeDueAlert(tx, TEAM, { nowMs: at, ttlMs: 1_000 }));
      const outcome = {
        ...({ state: "Firing", toldState: "Firing", value: 3, notifiedAtMs: null, version: 0 } as const),
        atMs: nowMs,
      };
      const first = (await take(nowMs))!;
      expect([await take(nowMs), await due(nowMs)]).toEqual([null, []]);
      // Its process has died; another one takes it.
      const second = (await take(nowMs + 1_000))!;
      const end = (of: typeof first) =>
        db.write((tx) => endAlertCheck(tx, of, { nextCheckAtMs: nowMs + 2_000, outcome }));
      expect([await end(first), await end(second)]).toEqual([false, true]);
      expect(await due(nowMs + 2_000)).toEqual([]);
      await db.write(
        (tx) => tx`insert into project_versions (team_id, version, merges_version) values (${TEAM}, 1, 0)`,
      );
      expect([await due(nowMs + 1_999), await due(nowMs + 2_000)]).toEqual([[], [TEAM]]);
      expect(alert.state).toBe("Not firing");
    }));
});
