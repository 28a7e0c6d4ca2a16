import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Receiver } from "../alerts/receivers.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { Random } from "../support/random.ts";
import { TEST_SEED } from "../support/seed.ts";
import { ALERTING, startWeir, type Weir } from "../support/weir.ts";

const ALERTS = 5;

interface Told {
  type: string;
  data: { alert: { id: string; name: string }; insight: { url: string }; value: number | null };
}

describe.each(["sqlite", "postgres"])("alerts of a Weir on %s", (kind) => {
  let weir: Weir;
  let postgres: PostgresServer | null = null;
  beforeAll(async () => {
    postgres = kind === "postgres" ? await startPostgres() : null;
    weir = await startWeir({ env: { ...ALERTING, ...(postgres !== null && { DATABASE_URL: postgres.url }) } });
  });
  afterAll(async () => {
    await weir[Symbol.asyncDispose]();
    await postgres?.stop();
  });

  // biome-ignore lint/suspicious/noExplicitAny: bodies of many routes
  const api = async (method: string, path: string, body?: unknown): Promise<any> => {
    const { status, json } = await weir.manage(method, `/api/projects/${weir.environmentId}/${path}`, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  };
  const trend = (event: string) => ({ kind: "TrendsQuery", interval: "day", series: [{ kind: "EventsNode", event }] });
  const told = ({ got }: Receiver): Told[] => got.map(({ body }) => JSON.parse(body) as Told);
  const api9 = async () => {
    const pid = await until("an api process", HANG_MS, () => weir.isRunning("api"));
    expect(pid).toBe(true);
    weir.kill9("api");
    await until("another api process", HANG_MS, async () => (await weir.status("/api/users/@me/")) === 401);
  };

  test("are told once of each change, through kill -9 between the crossing and the receiver's answer", async () => {
    using receiver = new Receiver();
    using dead = new Receiver();
    dead.answer = () => new Promise<Response>(() => {});
    const insight = await api("POST", "insights/", { name: "seen", query: trend("seen") });
    const ids: string[] = [];
    for (let n = 0; n < ALERTS; n++) {
      const alert = await api("POST", "alerts/", {
        name: `alert ${n}`,
        insight: insight.id,
        condition: { type: "absolute_value" },
        threshold: { configuration: { type: "absolute", bounds: { upper: 2 } } },
        config: { type: "TrendsAlertConfig", series_index: 0, check_ongoing_interval: true },
        calculation_interval: "real_time",
        // The last one's receiver never answers.
        webhook_url: n === ALERTS - 1 ? dead.url : receiver.url,
      });
      expect(alert.webhook_secret).toStartWith("whsec_");
      ids.push(alert.id);
    }
    const states = async (): Promise<string[]> =>
      Promise.all(ids.map(async (id) => (await api("GET", `alerts/${id}/`)).state as string));
    await until("first checks", HANG_MS, async () => {
      const { results } = await api("GET", "alerts/");
      return results.every((alert: { last_checked_at: string | null }) => alert.last_checked_at !== null);
    });
    expect(receiver.got).toEqual([]);

    // It takes every message, and its answers do not arrive: the process dies before it knows of them.
    receiver.answer = () => new Promise<Response>(() => {});
    await weir.deliver(Array.from({ length: 5 }, (_, i) => ({ event: "seen", distinct_id: `p${i}` })));
    await weir.waitStored();
    for (const id of ids) await api("PATCH", `alerts/${id}/`, { name: `crossed ${id}` });
    await Bun.sleep(new Random(TEST_SEED).int(0, 500));
    await api9();
    await until("a message without an answer", HANG_MS, () => receiver.got.length > 0);
    await api9();
    receiver.answer = () => new Response("ok");
    await until("all firing", HANG_MS, async () => (await states()).every((state) => state === "Firing"));
    await until("all told", HANG_MS, async () => (await api("GET", "deliveries/status/")).waiting === 1);

    // The others go back; one cannot be checked any more.
    await api("PATCH", `insights/${insight.id}/`, { query: trend("never") });
    for (const id of ids) await api("PATCH", `alerts/${id}/`, { name: `back ${id}` });
    await api9();
    await until("none firing", HANG_MS, async () => (await states()).every((state) => state === "Not firing"));
    await until("all told", HANG_MS, async () => (await api("GET", "deliveries/status/")).waiting === 2);

    const byKey = new Map(receiver.got.map(({ key, body }) => [key, body]));
    // A message that came twice was the same.
    expect(receiver.got.every(({ key, body }) => byKey.get(key) === body)).toBe(true);
    for (const id of ids.slice(0, -1)) {
      const types = [...byKey.values()]
        .map((body) => JSON.parse(body) as Told)
        .filter(({ data }) => data.alert.id === id);
      expect(types.map(({ type }) => type)).toEqual(["alert.firing", "alert.not_firing"]);
      expect(types[0]!.data).toMatchObject({ value: 5, insight: { url: expect.stringContaining(weir.url) } });
    }
    expect(byKey.size).toBe(2 * (ALERTS - 1));
    expect(new Set(told(dead).map(({ type }) => type))).toEqual(new Set(["alert.firing"]));
    const { checks } = await api("GET", `alerts/${ids[0]}/`);
    expect(checks.filter((check: { targets_notified: boolean }) => check.targets_notified)).toHaveLength(2);
  });

  test("a subscription is sent with its rows", async () => {
    using receiver = new Receiver();
    const insight = await api("POST", "insights/", { name: "seen", query: trend("seen") });
    const dashboard = await api("POST", "dashboards/", { name: "board" });
    await api("PATCH", `insights/${insight.id}/`, { dashboards: [dashboard.id] });
    await api("POST", "subscriptions/", {
      ...{ dashboard: dashboard.id, title: "figures", frequency: "daily", target_type: "webhook" },
      ...{ target_value: receiver.url, start_date: new Date(Date.now() + 2_000).toISOString() },
    });
    await until("a message", HANG_MS, () => receiver.got.length > 0);
    const { type, data } = JSON.parse(receiver.got[0]!.body);
    expect(type).toBe("subscription.delivery");
    expect(data).toMatchObject({
      dashboard: { id: dashboard.id, name: "board", url: `${weir.url}/project/1/dashboard/${dashboard.id}` },
      insights: [{ id: insight.id, name: "seen", has_more: false, error: null }],
    });
    const [{ columns, rows }] = data.insights;
    expect(columns[0]).toBe("series");
    expect(rows[0].at(-1)).toBe(5);
    const { results } = await api("GET", "subscriptions/");
    expect(Date.parse(results[0].next_delivery_date)).toBeGreaterThan(Date.now() + 80_000_000);
  });
});
