import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addDeliveries, type NewDelivery } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { join, type Member } from "./team.ts";

let server: ManageServer;
let [ada]: Member[] = [];
beforeAll(async () => {
  server = await startManage();
  ada = await join(server);
});
afterAll(() => server.stop());

type Body = Record<string, unknown>;
const BASE = "/api/environments/1/";
const ask = async (method: string, path: string, body?: object) => {
  const reply = await server.send(method, BASE + path, { body });
  return { status: reply.status, json: (reply.json ?? {}) as Body };
};
const TREND = { kind: "TrendsQuery", interval: "day", series: [{ kind: "EventsNode", event: "seen" }] };
const insight = async (query: object = TREND): Promise<number> =>
  Number((await ask("POST", "insights/", { name: "mine", query })).json.id);
const bounds = (wish: object, type = "absolute") => ({ threshold: { configuration: { type, bounds: wish } } });
const wish = async (more: object = {}, query?: object) => ({
  ...{ name: "mine", insight: await insight(query), condition: { type: "absolute_value" } },
  ...bounds({ upper: 5 }),
  ...more,
});

type Kind = NewDelivery["kind"];
/** Of each source a message that has arrived, and one that waits. */
async function putMessages(kind: Kind, sources: unknown[]) {
  for (const state of ["delivered", "waiting"]) {
    const messages = sources.map((id): NewDelivery => {
      const source = { kind, sourceId: String(id), title: "mine" };
      return { ...source, channel: "webhook", target: "https://example.com/", message: {}, secret: "" };
    });
    await server.db.write(async (tx) => {
      await addDeliveries(tx, 1, messages, server.nowMs);
      if (state === "waiting") return;
      await tx`update deliveries set state = ${state}, ended_at_ms = ${server.nowMs} where ended_at_ms is null`;
    });
  }
}
async function messagesOf(kind: Kind): Promise<string[]> {
  const rows: { source_id: string; state: string }[] = await server.db.read(
    (tx) => tx`select source_id, state from deliveries where kind = ${kind}`,
  );
  return rows.map(({ source_id, state }) => `${source_id} ${state}`).sort();
}

describe("an alert", () => {
  test("is shown as it was made, in PostHog's form", async () => {
    const body = await wish({ subscribed_users: [1], calculation_interval: "hourly", config: { series_index: 0 } });
    const { status, json } = await ask("POST", "alerts/", body);
    expect(status).toBe(201);
    expect(json).toMatchObject({
      name: "mine",
      insight: { id: body.insight, name: "mine" },
      subscribed_users: [{ id: 1 }],
      condition: { type: "absolute_value" },
      threshold: { configuration: { type: "absolute", bounds: { lower: null, upper: 5 } } },
      config: { type: "TrendsAlertConfig", series_index: 0, check_ongoing_interval: false },
      ...{ detector_config: null, calculation_interval: "hourly", state: "Not firing", enabled: true },
      ...{ checks: [], last_value: null, snoozed_until: null, webhook_url: null, webhook_secret: null },
    });
    const listed = await ask("GET", `alerts/?insight_id=${body.insight}`);
    expect(listed.json).toMatchObject({ count: 1, results: [{ id: json.id }] });
    expect((await ask("GET", `alerts/?insight_id=${await insight()}`)).json).toMatchObject({ count: 0 });
    const shown = async (key?: string) =>
      (await server.send("GET", `${BASE}insights/${body.insight}/`, { key })).json as { alerts: object[] };
    expect((await shown()).alerts).toEqual([(await ask("GET", `alerts/${json.id}/`)).json]);
    const listedInsights = (await ask("GET", "insights/")).json.results as { id: number; alerts: object[] }[];
    expect(listedInsights.find(({ id }) => id === body.insight)?.alerts).toHaveLength(1);
    // To a key that may not read alerts an insight tells nothing of them.
    const { value: key } = await server.createKey({ scopes: ["insight:read"] });
    expect((await shown(key)).alerts).toEqual([]);
    expect((await ask("DELETE", `alerts/${json.id}/`)).status).toBe(204);
    expect((await shown()).alerts).toEqual([]);
    expect((await ask("GET", `alerts/${json.id}/`)).status).toBe(404);
  });

  const REFUSED: { what: string; more: object; attr: string; query?: object }[] = [
    { what: "no bound", more: bounds({}), attr: "threshold" },
    { what: "bounds the wrong way", more: bounds({ lower: 2, upper: 1 }), attr: "threshold__configuration" },
    { what: "a percentage of a value", more: bounds({ upper: 1 }, "percentage"), attr: "threshold" },
    { what: "another condition", more: { condition: { type: "sometimes" } }, attr: "condition" },
    { what: "a user that is not there", more: { subscribed_users: [1, 99] }, attr: "subscribed_users" },
    { what: "an address of a machine in the house", more: { webhook_url: "http://10.0.0.1/" }, attr: "webhook_url" },
    { what: "an address that is none", more: { webhook_url: "ftp://example.com/" }, attr: "webhook_url" },
    {
      what: "weeks by month",
      more: { detector_config: { type: "past_weeks" } },
      attr: "insight",
      query: { ...TREND, interval: "month" },
    },
    { what: "a series that is not there", more: { config: { series_index: 1 } }, attr: "config__series_index" },
    {
      ...{ what: "a formula that is not there", more: { config: { series_index: 1 } }, attr: "config__series_index" },
      query: { ...TREND, series: [...TREND.series, ...TREND.series], trendsFilter: { formula: "A + B" } },
    },
    { what: "what is no trend", more: {}, attr: "insight", query: { kind: "HogQLQuery", query: "SELECT 1" } },
    {
      ...{ what: "a change of a total", more: { condition: { type: "relative_increase" } }, attr: "insight" },
      query: { ...TREND, trendsFilter: { display: "BoldNumber" } },
    },
  ];
  test.each(REFUSED)("refuses $what", async ({ more, attr, query }) => {
    server.deps.exports.env.allowPrivate = false;
    const { status, json } = await ask("POST", "alerts/", await wish(more, query));
    expect([status, json.attr]).toEqual([400, attr]);
  });

  test("watches one of several series, or of several formulas", async () => {
    const series = [...TREND.series, ...TREND.series];
    const trendsFilter = { formulas: ["A", "B", "A + B"] };
    const accepted = async (series_index: number, query: object) =>
      (await ask("POST", "alerts/", await wish({ config: { series_index } }, query))).status === 201;
    expect(await accepted(1, { ...TREND, series })).toBe(true);
    expect(await accepted(2, { ...TREND, series })).toBe(false);
    expect(await accepted(2, { ...TREND, series, trendsFilter })).toBe(true);
    // The calendar counts the first series alone.
    const calendar = { ...TREND, series, trendsFilter: { display: "CalendarHeatmap" } };
    expect([await accepted(0, calendar), await accepted(1, calendar)]).toEqual([true, false]);
  });

  test("takes its messages that wait with it", async () => {
    const [one, other] = [await ask("POST", "alerts/", await wish()), await ask("POST", "alerts/", await wish())];
    await putMessages("alert", [one.json.id, other.json.id]);
    expect((await ask("DELETE", `alerts/${one.json.id}/`)).status).toBe(204);
    const [gone, stays] = [String(one.json.id), String(other.json.id)];
    expect(await messagesOf("alert")).toEqual([`${gone} delivered`, `${stays} delivered`, `${stays} waiting`].sort());
  });

  test("says the secret of its webhooks once, and makes another for another address, or when asked", async () => {
    const { json } = await ask("POST", "alerts/", await wish({ webhook_url: "https://example.com/a" }));
    expect(json.webhook_secret).toStartWith("whsec_");
    const path = `alerts/${json.id}/`;
    expect((await ask("GET", path)).json.webhook_secret).toBeNull();
    expect((await ask("PATCH", path, { name: "other" })).json.webhook_secret).toBeNull();
    const moved = (await ask("PATCH", path, { webhook_url: "https://example.com/b" })).json.webhook_secret;
    const renewed = (await ask("PATCH", path, { new_webhook_secret: true })).json.webhook_secret;
    expect(new Set([json.webhook_secret, moved, renewed]).size).toBe(3);
    const rows: { webhook_secret: string }[] = await server.db.read(
      (tx) => tx`select webhook_secret from alerts where id = ${String(json.id)}`,
    );
    expect(rows[0]!.webhook_secret).toStartWith("v1:");
    const log = await server.send("GET", `${BASE}activity_log/?scope=AlertConfiguration`);
    expect(log.text).not.toContain("whsec_");
  });

  test("tells where its webhooks go to those alone who may change it, to others the host", async () => {
    const url = "https://hooks.example.com/T1/path?token=x";
    const body = await wish({ webhook_url: url });
    const { json } = await ask("POST", "alerts/", body);
    expect(json.webhook_url).toBe(url);
    const path = `${BASE}alerts/${json.id}/`;
    const urlOf = ({ json }: { json: unknown }) => (json as Body).webhook_url;
    const { value: reading } = await server.createKey({ scopes: ["alert:read", "insight:read"] });
    expect(urlOf(await server.send("GET", path, { key: reading }))).toBe("https://hooks.example.com");
    expect(urlOf(await ada!.browser.send("GET", path))).toBe(url);
    await ask("PUT", `insights/${body.insight}/access_controls/`, { access_level: "viewer" });
    for (const of of [path, `${BASE}alerts/?insight_id=${body.insight}`, `${BASE}insights/${body.insight}/`]) {
      const { text } = await ada!.browser.send("GET", of);
      expect(text).toContain("https://hooks.example.com");
      expect(text).not.toContain("/T1");
    }
    await ask("PATCH", `alerts/${json.id}/`, { webhook_url: `${url}2` });
    const log = await server.send("GET", `${BASE}activity_log/?scope=AlertConfiguration`);
    expect(log.text).toContain("webhook_url");
    expect(log.text).not.toContain("/T1");
  });

  test("is snoozed for a while, and begins anew when its rule changes", async () => {
    const { json } = await ask("POST", "alerts/", await wish());
    const path = `alerts/${json.id}/`;
    const until = new Date(server.nowMs + 3_600_000).toISOString();
    expect((await ask("PATCH", path, { snoozed_until: "1h" })).json).toMatchObject({ state: "Snoozed" });
    expect(Date.parse(String((await ask("GET", path)).json.snoozed_until))).toBe(Date.parse(until));
    expect((await ask("PATCH", path, { snoozed_until: null })).json).toMatchObject({ state: "Not firing" });
    await server.db.write((tx) => tx`update alerts set state = 'Firing', told_state = 'Firing'`);
    expect((await ask("PATCH", path, { name: "new" })).json).toMatchObject({ state: "Firing" });
    // Clients send whole objects back.
    expect((await ask("PATCH", path, { snoozed_until: null, ...bounds({ upper: 5 }) })).json.state).toBe("Firing");
    expect((await ask("PATCH", path, bounds({ upper: 6 }))).json.state).toBe("Not firing");
  });

  test("is seen with its insight, and changed with the right to change that", async () => {
    const body = await wish();
    const { json } = await ask("POST", "alerts/", body);
    const level = (access_level: string) => ask("PUT", `insights/${body.insight}/access_controls/`, { access_level });
    const by = async (method: string, path: string, of?: object) =>
      (await ada!.browser.send(method, `${BASE}${path}`, of)).status;
    const listed = async () => {
      const { json } = await ada!.browser.send("GET", `${BASE}alerts/?insight_id=${body.insight}`);
      return (json as { results: Body[] }).results.map((shown) => shown.user_access_level);
    };
    const path = `alerts/${json.id}/`;
    expect([await by("GET", path), await by("PATCH", path, { name: "ada's" }), await listed()]).toEqual([
      200,
      200,
      ["editor"],
    ]);
    await level("viewer");
    expect([await by("GET", path), await by("PATCH", path, { name: "no" }), await listed()]).toEqual([
      200,
      403,
      ["viewer"],
    ]);
    expect([await by("DELETE", path), await by("POST", "alerts/", body)]).toEqual([403, 403]);
    await level("none");
    expect([await by("GET", path), await by("PATCH", path, { name: "no" }), await listed()]).toEqual([404, 404, []]);
    expect(await by("POST", "alerts/", body)).toBe(400);
    await ask("PATCH", `insights/${body.insight}/`, { deleted: true });
    expect((await ask("GET", path)).status).toBe(404);
  });
});

describe("a subscription", () => {
  const EMAIL = {
    ...{ target_type: "email", target_value: "ada@example.com, grace@example.com", frequency: "monthly" },
    ...{ start_date: "2026-01-01T09:00:00Z", byweekday: ["monday"], bysetpos: 1, title: "figures" },
  };

  test("is shown as it was made, with when it is sent next, and ends", async () => {
    const { status, json } = await ask("POST", "subscriptions/", { ...EMAIL, insight: await insight() });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      ...EMAIL,
      target_value: "ada@example.com,grace@example.com",
      start_date: expect.any(String),
      summary: "sent every month on the first Monday",
      ...{ interval: 1, dashboard: null, deleted: false, webhook_secret: null },
    });
    // The clock shows 15 January 2026.
    expect(Date.parse(String(json.next_delivery_date))).toBe(Date.UTC(2026, 1, 2, 9));
    const path = `subscriptions/${json.id}/`;
    expect((await ask("PATCH", path, { frequency: "daily", bysetpos: null, byweekday: null })).json).toMatchObject({
      summary: "sent every day",
    });
    await putMessages("subscription", [json.id]);
    expect((await ask("PATCH", path, { title: "other" })).status).toBe(200);
    expect(await messagesOf("subscription")).toEqual([`${json.id} delivered`, `${json.id} waiting`]);
    expect((await ask("PATCH", path, { deleted: true })).status).toBe(200);
    expect((await ask("GET", path)).status).toBe(404);
    expect(await messagesOf("subscription")).toEqual([`${json.id} delivered`]);
  });

  test("refuses what is neither, or both, and targets that are none", async () => {
    const id = await insight();
    const refused = async (more: object) =>
      (await ask("POST", "subscriptions/", { ...EMAIL, insight: id, ...more })).json;
    expect(await refused({ insight: null })).toMatchObject({ attr: null });
    expect(await refused({ dashboard: 1 })).toMatchObject({ attr: null });
    expect(await refused({ insight: 999_999 })).toMatchObject({ attr: "insight" });
    expect(await refused({ target_value: "nobody" })).toMatchObject({ attr: "target_value" });
    expect(await refused({ target_type: "webhook" })).toMatchObject({ attr: "target_value" });
    expect(await refused({ target_type: "slack" })).toMatchObject({ attr: "target_type" });
    expect(await refused({ frequency: "weekly" })).toMatchObject({ attr: "bysetpos" });
  });

  test("to a webhook has a secret that is shown once, and is not seen without its insight", async () => {
    const id = await insight();
    const webhook = { ...EMAIL, target_type: "webhook", target_value: "https://example.com/hook" };
    const { json } = await ask("POST", "subscriptions/", { ...webhook, insight: id });
    expect(json.webhook_secret).toStartWith("whsec_");
    const path = `subscriptions/${json.id}/`;
    expect((await ask("GET", path)).json.webhook_secret).toBeNull();
    const target = async () => ((await ada!.browser.send("GET", BASE + path)).json as Body).target_value;
    expect(await target()).toBe("https://example.com/hook");
    await ask("PUT", `insights/${id}/access_controls/`, { access_level: "viewer" });
    expect(await target()).toBe("https://example.com");
    expect((await server.send("GET", `${BASE}activity_log/?scope=Subscription`)).text).not.toContain("/hook");
    await ask("PUT", `insights/${id}/access_controls/`, { access_level: "none" });
    const seen = async (of: string) => (await ada!.browser.send("GET", BASE + of)).json as { count?: number };
    expect((await ada!.browser.send("GET", BASE + path)).status).toBe(404);
    expect((await seen(`subscriptions/?insight=${id}`)).count).toBe(0);
  });
});
