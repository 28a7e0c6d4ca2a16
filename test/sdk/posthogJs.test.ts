import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { openWindow } from "../support/chromium.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { FLUSH_MS, type PagePostHog, pastSnippet, Shop, snippet, type Tags } from "./shop.ts";
import { expectStoredAsSent, type StoredEvent } from "./stored.ts";

declare const posthog: PagePostHog;

let weir: Weir;
let browser: BrowserContext & AsyncDisposable;
beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), openWindow()]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await weir[Symbol.asyncDispose]();
});
beforeEach(() => weir.enterFreshProject());

const openShop = (settings = {}, tags?: Tags) => Shop.open({ weir, browser }, settings, tags);

/**
 * An event just before the SDK sends its last beacon. A moment earlier the SDK might just be sending it, and the browser drops what a page that
 * is left has not handed over.
 */
function captureWhenLeft(page: Shop["page"]): Promise<void> {
  return page.evaluate(() => {
    addEventListener("beforeunload", () => posthog.capture("on the way out"));
  });
}

/** A visit in which everything is used that sends events, to the last beacon. */
async function visit(shop: Shop): Promise<void> {
  const { page } = shop;
  await shop.seen("$pageview");
  await page.click("#buy");
  await shop.seen("$autocapture");
  await page.evaluate(() => {
    posthog.capture("rich", {
      text: 'quotes " \\ and ünïcödé 🎉',
      integer: 9_007_199_254_740_991,
      fraction: 0.1,
      list: [1, "two", { three: [] }],
      nothing: null,
    });
    posthog.identify("customer 1", { email: "a@example.com" });
    posthog.group("company", "acme", { size: 12 });
    posthog.capture("as a member");
    posthog.alias("customer 1 alias");
  });
  await shop.seen("rich", "$identify", "$groupidentify", "as a member", "$create_alias");
  await page.evaluate(() => {
    posthog.reset();
    posthog.capture("as a stranger");
  });
  await shop.seen("as a stranger");
  await captureWhenLeft(page);
  await shop.leave();
  await shop.seen("on the way out", "$pageleave");
}

/** The same without waiting in between: the past's SDKs send every three seconds. */
async function briefVisit(shop: Shop): Promise<void> {
  const { page } = shop;
  await shop.seen("$pageview");
  await page.click("#buy");
  await page.evaluate(() => {
    posthog.capture("rich", { text: "ünïcödé 🎉", fraction: 0.1, list: [1, { two: [] }], nothing: null });
    posthog.identify("customer 1", { email: "a@example.com" });
    posthog.group("company", "acme", { size: 12 });
    posthog.capture("as a member");
    posthog.alias("customer 1 alias");
    posthog.reset();
    posthog.capture("as a stranger");
  });
  await shop.seen("$autocapture", "rich", "$identify", "$groupidentify", "as a member", "as a stranger");
  await captureWhenLeft(page);
  await shop.leave();
  await shop.seen("on the way out", "$pageleave");
}

const named = (stored: Map<string, StoredEvent>, name: string) =>
  [...stored.values()].filter(({ event }) => event === name);

describe("posthog-js", () => {
  test.each([
    ["gzip", "gzip-js", {}, (body: Uint8Array) => body[0] === 0x1f && body[1] === 0x8b],
    ["plain JSON", "none", { disable_compression: true }, (body: Uint8Array) => body[0] === "{".charCodeAt(0)],
    ["base64", "base64", {}, (body: Uint8Array) => new TextDecoder().decode(body.slice(0, 5)) === "data="],
  ])("what a visit sends as %s is what is stored", async (_name, compression, settings, isSo) => {
    if (compression === "base64") await offerOnlyBase64();
    await using shop = await openShop({ ...settings, person_profiles: "always" });
    await visit(shop);
    await browser.unrouteAll();

    expect(shop.complaints).toEqual([]);
    const sent = shop.sent();
    // What a page still sends when it is left can ask no preflight.
    const beacons = sent.filter(({ headers }) => headers.get("sec-fetch-mode") === "no-cors");
    expect(beacons.length).toBeGreaterThan(0);
    expect(sent.some(({ body }) => isSo(body))).toBe(true);
    for (const { path, status } of shop.wire.exchanges) expect({ path, status }).toEqual({ path, status: 200 });

    const stored = await expectStoredAsSent(weir, sent);
    const [click] = named(stored, "$autocapture");
    expect(click!.elementsChain).toContain("button.large.primary");
    const [identify] = named(stored, "$identify");
    expect(identify).toMatchObject({ distinctId: "customer 1" });
    expect(identify!.properties).toMatchObject({
      $anon_distinct_id: named(stored, "$pageview")[0]!.distinctId,
      $set: { email: "a@example.com" },
    });
    expect(named(stored, "$groupidentify")[0]!.properties).toMatchObject({
      $group_type: "company",
      $group_key: "acme",
    });
    expect(named(stored, "as a member")[0]!.properties).toMatchObject({ $groups: { company: "acme" } });
    expect(named(stored, "as a stranger")[0]!.distinctId).not.toBe("customer 1");
  });

  test("asks at start, gets answers, and asks no more", async () => {
    await using shop = await openShop();
    const answers = await shop.page.evaluate(async () => {
      const flags = new Promise((done) => posthog.onFeatureFlags(done));
      posthog.reloadFeatureFlags();
      return {
        flags: await flags,
        surveys: await new Promise((done) => posthog.getSurveys(done)),
        features: await new Promise((done) => posthog.getEarlyAccessFeatures(done, true)),
      };
    });
    expect(answers).toEqual({ flags: [], surveys: [], features: [] });
    await shop.page.evaluate(() => posthog.startSessionRecording());
    await shop.seen("$pageview");
    expect(shop.complaints).toEqual([]);
    const asked = shop.wire.exchanges.map(({ method, path, status }) => `${status} ${method} ${path}`);
    expect(asked).toContain(`200 GET /array/${weir.projectKey}/config.js`);
    expect(asked).toContain("200 POST /flags/");
    expect(asked.filter((line) => line.includes("/s/"))).toEqual([]);
    expect(asked.filter((line) => !line.startsWith("200 "))).toEqual([]);
    await expectStoredAsSent(weir, shop.sent());
  });

  test("logs are refused once, and the SDK sends no more of them", async () => {
    await using shop = await openShop({ logs: { flushIntervalMs: FLUSH_MS } });
    const refused = () => shop.wire.to("/i/v1/logs").filter(({ method }) => method === "POST");
    await shop.page.evaluate(() => posthog.captureLog({ body: "a line", level: "info" }));
    await until("a request with logs", HANG_MS, () => refused().some(({ status }) => status !== 0));
    await shop.page.evaluate(() => posthog.captureLog({ body: "another line", level: "info" }));
    await shop.page.evaluate(() => posthog.capture("meanwhile"));
    await shop.seen("meanwhile");
    expect(refused().map(({ status }) => status)).toEqual([404]);
    await expectStoredAsSent(weir, shop.sent());
  });

  test("the config and the SDK in one file", async () => {
    const script = `${weir.url}/array/${weir.projectKey}/array.js`;
    await using shop = await openShop({}, (facts) => snippet(facts, script));
    await shop.seen("$pageview");
    expect(shop.complaints).toEqual([]);
    expect(shop.wire.exchanges.filter(({ path }) => path.includes("/config"))).toEqual([]);
    await expectStoredAsSent(weir, shop.sent());
  });

  test("the SDK's own loader in one tag", async () => {
    await using shop = await openShop({}, ({ address, token, config }) => {
      const attributes = `data-api-host="${address}" data-project-token="${token}"`;
      return `<script src="${address}/static/loader.js" ${attributes} data-config='${JSON.stringify(config)}'></script>`;
    });
    await shop.seen("$pageview");
    expect(shop.complaints).toEqual([]);
    await expectStoredAsSent(weir, shop.sent());
  });
});

describe.each(["1.20", "1.57", "1.96", "1.130", "1.200"])("posthog-js %s", (version) => {
  test("what a visit sends is what is stored", async () => {
    await browser.clearCookies();
    await using shop = await openShop({ person_profiles: "always" }, pastSnippet(`posthog-js-${version}`));
    await briefVisit(shop);

    expect(shop.complaints).toEqual([]);
    for (const { method, path, status } of shop.wire.exchanges) {
      expect({ method, path, isOk: status >= 200 && status < 300 }).toEqual({ method, path, isOk: true });
    }
    const stored = await expectStoredAsSent(weir, shop.sent());
    const [click] = named(stored, "$autocapture");
    expect(click!.elementsChain).toContain("button.large.primary");
    const [identify] = named(stored, "$identify");
    expect(identify).toMatchObject({ distinctId: "customer 1" });
    expect(identify!.properties).toMatchObject({
      $anon_distinct_id: named(stored, "$pageview")[0]!.distinctId,
      $set: { email: "a@example.com" },
    });
    expect(identify!.properties.$lib_version).toStartWith(`${version}.`);
    expect(named(stored, "as a member")[0]!.properties).toMatchObject({ $groups: { company: "acme" } });
    expect(named(stored, "as a stranger")[0]!.distinctId).not.toBe("customer 1");
    const { results } = await weir.query(
      "SELECT DISTINCT person_id, person.properties.email FROM events WHERE event IN ('$pageview', 'rich', 'as a member')",
    );
    expect(results).toEqual([[expect.any(String), "a@example.com"]]);
  });
});

/** A remote config without gzip, as a service might give it: the SDK then writes forms. */
async function offerOnlyBase64(): Promise<void> {
  await browser.route("**/config.js*", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace('["gzip","gzip-js","base64"]', '["base64"]');
    await route.fulfill({ response: answer, body });
  });
}
