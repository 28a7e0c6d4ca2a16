import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PostHog, type PostHogOptions } from "posthog-node";
import { startWeir, type Weir } from "../support/weir.ts";
import { decode, decodeV1, type SentBatch, tap, type Wire } from "../support/wire.ts";
import { expectStoredAsSent, storedEvents } from "./stored.ts";

/** Every way in which an event leaves posthog-node. */
async function useEverything(client: PostHog, user: string): Promise<void> {
  client.capture({ distinctId: user, event: "plain" });
  client.capture({
    distinctId: user,
    event: "rich",
    properties: {
      text: 'quotes " \\ and ünïcödé 🎉 end',
      integer: 9_007_199_254_740_991,
      fraction: 0.1,
      exponent: 1e21,
      yes: true,
      nothing: null,
      list: [1, "two", { three: [] }],
      $set: { plan: "pro" },
      $set_once: { first_seen: "2024-01-01" },
    },
    timestamp: new Date(Date.now() - 3_600_000),
    groups: { company: "acme" },
  });
  client.identify({ distinctId: user, properties: { email: "a@example.com", $set_once: { source: "test" } } });
  client.alias({ distinctId: user, alias: `${user}-alias` });
  client.groupIdentify({ groupType: "company", groupKey: "acme", properties: { size: 12 }, distinctId: user });
  await client.captureImmediate({ distinctId: user, event: "immediate", properties: { n: 1 } });
  await client.identifyImmediate({ distinctId: user, properties: { plan: "basic" } });
  await client.flush();
  client.capture({ distinctId: user, event: "before the end", properties: { $process_person_profile: false } });
  await client.shutdown();
}

const EVERYTHING = [
  "$create_alias",
  "$groupidentify",
  "$identify",
  "$identify",
  "before the end",
  "immediate",
  "plain",
  "rich",
];

let weir: Weir;
beforeAll(async () => {
  weir = await startWeir();
});
afterAll(() => weir[Symbol.asyncDispose]());

/** A client, and everything that it complained about. */
function clientOf(wire: Wire, options: PostHogOptions = {}, token = weir.projectKey) {
  const client = new PostHog(token, { host: wire.url, flushInterval: 60_000, fetchRetryDelay: 20, ...options });
  const errors: unknown[] = [];
  client.on("error", (error: unknown) => errors.push(error));
  return { client, errors };
}

describe("posthog-node", () => {
  test.each([
    ["gzip", false],
    ["plain JSON", true],
  ])("what it sends as %s is what is stored", async (_name, disableCompression) => {
    await weir.enterFreshProject();
    await using wire = tap(weir.url);
    const { client, errors } = clientOf(wire, { disableCompression });
    await useEverything(client, "node user");

    expect(errors).toEqual([]);
    const sent = wire.to("/batch/");
    expect(wire.exchanges).toEqual(sent);
    expect(sent.every((exchange) => exchange.status === 200)).toBe(true);
    for (const { headers } of sent) expect(headers.get("content-encoding")).toBe(disableCompression ? null : "gzip");
    const stored = await expectStoredAsSent(weir, sent);
    expect([...stored.values()].map(({ event }) => event).sort()).toEqual(EVERYTHING);
  });

  test("what it sends in capture mode v1 is what is stored", async () => {
    await weir.enterFreshProject();
    await using wire = tap(weir.url);
    process.env.POSTHOG_CAPTURE_MODE = "v1";
    const { client, errors } = clientOf(wire);
    delete process.env.POSTHOG_CAPTURE_MODE;
    await useEverything(client, "node user");

    expect(errors).toEqual([]);
    const sent = wire.to("/i/v1/analytics/events");
    expect(wire.exchanges.map(({ path, status }) => ({ path, status }))).toEqual(
      sent.map(({ path }) => ({ path, status: 200 })),
    );
    const stored = await expectStoredAsSent(weir, sent, decodeV1);
    expect([...stored.values()].map(({ event }) => event).sort()).toEqual(EVERYTHING);
  });

  test("historicalMigration keeps the times of long ago", async () => {
    await weir.enterFreshProject();
    await using wire = tap(weir.url);
    const { client, errors } = clientOf(wire, { historicalMigration: true });
    const timestamp = new Date(Date.UTC(2019, 6, 1, 12));
    client.capture({ distinctId: "old", event: "long ago", timestamp });
    await client.shutdown();

    expect(errors).toEqual([]);
    expect(decode(wire.exchanges[0]!)).toMatchObject({ historical_migration: true });
    const [event] = [...(await expectStoredAsSent(weir, wire.exchanges)).values()];
    expect(Math.abs(event!.timestampMs - timestamp.getTime())).toBeLessThan(1_000);
  });

  test("an answer that got lost is retried, and nothing is stored twice", async () => {
    await weir.enterFreshProject();
    await using wire = tap(weir.url);
    const { client, errors } = clientOf(wire, {});
    for (let n = 0; n < 10; n++) client.capture({ distinctId: `user ${n}`, event: "once", properties: { n } });
    wire.hideNextAnswer("/batch/", 503);
    await client.shutdown();

    expect(errors).toEqual([]);
    expect(wire.exchanges.map(({ status }) => status)).toEqual([503, 200]);
    await expectStoredAsSent(weir, wire.exchanges.slice(0, 1));
    expect(await weir.ingestionStatus()).toMatchObject({ accepted: 20, stored: 10, duplicates: 10 });
  });

  test("flags: none, and no complaint about it, evaluated there or here", async () => {
    await using wire = tap(weir.url);
    const { client, errors } = clientOf(wire, {
      personalApiKey: weir.personalKey,
      featureFlagsPollingInterval: 60_000,
    });
    expect(await client.getAllFlags("me")).toEqual({});
    expect((await client.evaluateFlags("me")).isEnabled("new-checkout")).toBe(false);
    await client.reloadFeatureFlags();
    expect(client.isLocalEvaluationReady()).toBe(false);
    await client.shutdown();
    expect(errors).toEqual([]);
    expect(new Set(wire.exchanges.map(({ path }) => path))).toContain("/flags/definitions");
    expect(wire.to("/flags/").length).toBeGreaterThan(0);
    for (const { path, status } of wire.exchanges) expect({ path, status }).toEqual({ path, status: 200 });
  });

  test("an unknown key is refused once, in words", async () => {
    await using wire = tap(weir.url);
    const { client, errors } = clientOf(wire, {}, "phc_unknown");
    client.capture({ distinctId: "me", event: "lost" });
    await client.flush().catch(() => {});
    await client.shutdown();
    expect(wire.exchanges.map(({ status }) => status)).toEqual([401]);
    expect(errors.length).toBe(1);
  });

  test("what Weir does not take is refused once, and the SDK lets go of it", async () => {
    await using wire = tap(weir.url);
    const { client } = clientOf(wire);
    client.captureAi({ distinctId: "me", event: "$ai_generation" });
    client.captureLog({ body: "a log line", level: "info" });
    client.metrics.count("a.metric", 1);
    await client.flush().catch(() => {});
    await client.shutdown();
    const refused = wire.exchanges.map(({ path, status }) => `${status} ${path}`);
    expect(refused).toContain("404 /i/v1/logs");
    expect(new Set(refused).size).toBe(refused.length);
  });
});

/** What the SDK was before version 5, as far as it is used here. */
interface PastClient {
  capture(event: object): void;
  identify(person: object): void;
  alias(alias: object): void;
  groupIdentify(group: object): void;
  captureImmediate?(event: object): Promise<void>;
  getAllFlags?(distinctId: string): Promise<Record<string, unknown>>;
  flush(done: () => void): unknown;
  shutdown(): unknown;
  shutdownAsync?(): Promise<void>;
}
type PastClass = new (token: string, options: object) => PastClient;

/** Installed under names of their own. Versions 1 and 2 leave uuids to the server, 1 the clock too. */
const PAST = ["1", "2", "3", "4"];

async function pastClient(major: string, wire: Wire): Promise<PastClient> {
  const module: { PostHog?: PastClass; default: PastClass } = await import(`posthog-node-${major}`);
  const PastPostHog = module.PostHog ?? module.default;
  return new PastPostHog(weir.projectKey, { host: wire.url, flushInterval: 60_000, fetchRetryDelay: 20 });
}

async function end(client: PastClient): Promise<void> {
  if (client.shutdownAsync !== undefined) return client.shutdownAsync();
  // The first one does not wait for what is under way.
  if (client.captureImmediate === undefined) await new Promise<void>((done) => client.flush(done));
  await client.shutdown();
}

describe.each(PAST)("posthog-node %s", (major) => {
  test("what it sends is what is stored, and its aliases are one person", async () => {
    await weir.enterFreshProject();
    await using wire = tap(weir.url);
    const client = await pastClient(major, wire);
    const user = "node user";
    const groups = { company: "acme" };
    const properties = {
      text: 'quotes " \\ and ünïcödé 🎉 end',
      integer: 9_007_199_254_740_991,
      fraction: 0.1,
      nothing: null,
      list: [1, "two", { three: [] }],
      $set: { plan: "pro" },
      $set_once: { first_seen: "2024-01-01" },
    };
    client.capture({
      distinctId: user,
      event: "rich",
      properties,
      timestamp: new Date(Date.now() - 3_600_000),
      groups,
    });
    client.identify({ distinctId: user, properties: { email: "a@example.com" } });
    client.alias({ distinctId: user, alias: "node alias" });
    client.groupIdentify({ groupType: "company", groupKey: "acme", properties: { size: 12 } });
    client.capture({ distinctId: "node alias", event: "as the alias" });
    await client.captureImmediate?.({ distinctId: user, event: "immediate" });
    await end(client);

    const sent = wire.to("/batch/");
    expect(wire.exchanges.map(({ path, status }) => ({ path, status }))).toEqual(
      sent.map(() => ({ path: "/batch/", status: 200 })),
    );
    const stored = await expectStoredAsSent(weir, sent);
    const names = ["$create_alias", "$groupidentify", "$identify", "as the alias", "rich"];
    if (client.captureImmediate !== undefined) names.push("immediate");
    expect([...stored.values()].map(({ event }) => event).sort()).toEqual(names.sort());
    const { results } = await weir.query(
      "SELECT DISTINCT person_id, person.properties.email FROM events WHERE distinct_id IN ('node user', 'node alias')",
    );
    expect(results).toEqual([[expect.any(String), "a@example.com"]]);
  });
});

test.each(["2", "3", "4"])("posthog-node %s asks for flags: none, and no complaint about it", async (major) => {
  await using wire = tap(weir.url);
  const client = await pastClient(major, wire);
  expect(await client.getAllFlags!("me")).toEqual({});
  await end(client);
  expect(wire.exchanges.map(({ status }) => status)).toEqual([200]);
});

test("a batch that is too large is halved until it fits, and all of it is stored once", async () => {
  await using small = await startWeir({ env: { WEIR_BATCH_MAX_BYTES: "20000" } });
  await using wire = tap(small.url);
  const client = new PostHog(small.projectKey, {
    host: wire.url,
    disableCompression: true,
    flushAt: 1_000,
    flushInterval: 60_000,
  });
  for (let n = 0; n < 40; n++) {
    client.capture({ distinctId: "me", event: "large", properties: { n, padding: "x".repeat(1_000) } });
  }
  await client.shutdown();

  const statuses = wire.exchanges.map(({ status }) => status);
  expect(statuses.slice(0, 2)).toEqual([413, 413]);
  const accepted = wire.exchanges.filter(({ status }) => status === 200);
  expect(accepted.flatMap((exchange) => (decode(exchange) as SentBatch).batch).length).toBe(40);
  await expectStoredAsSent(small, accepted);
  expect((await storedEvents(small)).size).toBe(40);
});
