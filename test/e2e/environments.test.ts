import { expect, test } from "bun:test";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir } from "../support/weir.ts";

interface Opened {
  dashboard: { tiles: { insight: { id: number } }[] };
}

const REPO = new URL("../..", import.meta.url).pathname;

test("`weir demo` makes a project that its insights can be asked about", async () => {
  await using weir = await startWeir();
  const child = Bun.spawn(
    [process.execPath, "src/main.ts", "demo", "--people", "80", "--days", "30", "--url", weir.url, "--json"],
    { cwd: REPO, env: { ...process.env, WEIR_DATA_DIR: weir.dataDir }, stdout: "pipe", stderr: "inherit" },
  );
  const made = JSON.parse(await new Response(child.stdout).text()) as { id: number; events: number };
  expect(await child.exited).toBe(0);
  const environment = `/api/environments/${made.id}/`;
  const status = async () => (await weir.manage("GET", `${environment}ingestion_status/`)).json as { queued: number };
  await until("stored", HANG_MS, async () => (await status()).queued === 0);
  expect(await status()).toMatchObject({ accepted: made.events, stored: made.events, dropped: 0, dead_letters: 0 });
  expect((await weir.manage("GET", `${environment}is_generating_demo_data/`)).json as object).toEqual({
    is_generating_demo_data: false,
  });
  expect((await weir.manage("GET", environment)).json).toMatchObject({
    name: "Lantern (demo)",
    is_demo: true,
    ingested_event: true,
  } as never);
  const { json } = await weir.manage("GET", `${environment}insights/?refresh=blocking`);
  const { results } = json as { results: { name: string; result: unknown }[] };
  expect(results.map((insight) => insight.name)).toContain("Daily visitors");
  for (const insight of results) {
    type Item = { count: number; aggregated_value?: number } | { values: { count: number }[] } | [string, number];
    const counts = (insight.result as Item[]).map((item) =>
      Array.isArray(item) ? item[1] : "values" in item ? item.values[0]!.count : (item.aggregated_value ?? item.count),
    );
    expect({ name: insight.name, isAnswered: counts.some((n) => n > 0) }).toEqual({
      name: insight.name,
      isAnswered: true,
    });
  }
});

test("a demo project that is asked for by the API gets its events in the background", async () => {
  await using weir = await startWeir();
  const reply = await weir.manage("POST", "/api/projects/demo/");
  expect(reply.status).toBe(201);
  const { id, primary_dashboard } = reply.json as { id: number; primary_dashboard: number };
  const environment = `/api/environments/${id}/`;
  await until("sent", HANG_MS, async () => {
    const { json } = await weir.manage("GET", `${environment}is_generating_demo_data/`);
    return !(json as { is_generating_demo_data: boolean }).is_generating_demo_data;
  });
  const status = async () =>
    (await weir.manage("GET", `${environment}ingestion_status/`)).json as { queued: number; stored: number };
  await until("stored", HANG_MS, async () => (await status()).queued === 0);
  expect((await status()).stored).toBeGreaterThan(10_000);
  const { json } = await weir.manage("GET", `${environment}dashboards/${primary_dashboard}/?refresh=blocking`);
  const { tiles } = json as { tiles: { insight: { result: unknown[] } }[] };
  expect(tiles.map(({ insight }) => insight.result.length > 0)).toEqual(tiles.map(() => true));
  const sharing = `${environment}dashboards/${primary_dashboard}/sharing/`;
  const settings = { viewer_dates: true };
  const shared = await weir.manage("PATCH", sharing, { enabled: true, settings });
  const link = `${weir.url}/shared/${(shared.json as { access_token: string }).access_token}`;
  const opened = (await (await fetch(`${link}.json`)).json()) as Opened;
  // All at once, with dates that nobody asked for before.
  const replies = await Promise.all(
    opened.dashboard.tiles.map(({ insight }) => fetch(`${link}/insights/${insight.id}/?date_from=-45d`)),
  );
  expect(replies.map(({ status }) => status)).toEqual(tiles.map(() => 200));
  const shown = (await Promise.all(replies.map((reply) => reply.json()))) as { result: unknown[] }[];
  expect(shown.map(({ result }) => result.length > 0)).toEqual(tiles.map(() => true));
});

test("a reset or deleted key is refused within seconds, and a deleted environment is gone at once", async () => {
  await using weir = await startWeir({ env: { WEIR_KEY_CACHE_TTL_MS: "500" } });
  const made = (await weir.manage("POST", "/api/projects/1/environments/", { name: "second" })).json;
  const { id, api_token: first } = made as { id: number; api_token: string };
  const path = `/api/projects/1/environments/${id}/`;
  const send = async (api_key: string) =>
    (await weir.post("/capture/", JSON.stringify({ api_key, event: "e", distinct_id: "d" }))).status;
  expect(await send(first)).toBe(200);
  const { api_token: second } = (await weir.manage("PATCH", `${path}reset_token/`, {})).json as { api_token: string };
  expect(await send(second)).toBe(200);
  await until("the old key is refused", HANG_MS, async () => (await send(first)) === 401);
  const query = { query: { kind: "HogQLQuery", query: "SELECT count() FROM events" } };
  await until(
    "stored",
    HANG_MS,
    async () =>
      ((await weir.manage("POST", `/api/environments/${id}/query/`, query)).json as { results: [[number]] })
        .results[0][0] >= 2,
  );
  expect((await weir.manage("DELETE", path)).status).toBe(204);
  expect((await weir.manage("POST", `/api/environments/${id}/query/`, query)).status).toBe(404);
  await until("the key is refused", HANG_MS, async () => (await send(second)) === 401);
  const mine = (await weir.manage("POST", "/api/environments/1/query/", query)).json;
  expect(mine).toMatchObject({ results: [[0]] } as never);
});

test("settings take effect: time zone, first day of the week, own team, addresses", async () => {
  await using weir = await startWeir({ env: { WEIR_KEY_CACHE_TTL_MS: "100" } });
  const patch = (body: object) => weir.manage("PATCH", "/api/projects/1/environments/1/", body);
  const trends = async (interval: string) => {
    const dateRange = { date_from: "2026-03-01", date_to: "2026-03-14" };
    const series = [{ kind: "EventsNode", event: "at night" }];
    const query = { kind: "TrendsQuery", series, dateRange, interval, filterTestAccounts: true };
    const { json } = await weir.manage("POST", "/api/environments/1/query/", { query });
    const [first] = (json as { results: { data: number[]; days: string[] }[] }).results;
    return Object.fromEntries(
      first!.days.flatMap((day, i) => (first!.data[i] ? [[day.slice(0, 10), first!.data[i]]] : [])),
    );
  };
  // Saturday late in London, Sunday already in Berlin.
  const event = { event: "at night", timestamp: "2026-03-07T23:30:00Z" };
  await weir.deliver([
    { ...event, distinct_id: "a", properties: { $host: "shop.example", $ip: "203.0.113.7" } },
    { ...event, distinct_id: "b", properties: { $host: "staging.shop.example" } },
  ]);
  await weir.waitStored();
  expect(await trends("day")).toEqual({ "2026-03-07": 2 });
  expect(await trends("week")).toEqual({ "2026-03-01": 2 });
  await patch({ test_account_filters: [{ key: "$host", value: "staging", operator: "not_icontains" }] });
  expect(await trends("day")).toEqual({ "2026-03-07": 1 });
  await patch({ timezone: "Europe/Berlin" });
  expect(await trends("day")).toEqual({ "2026-03-08": 1 });
  expect(await trends("week")).toEqual({ "2026-03-08": 1 });
  await patch({ week_start_day: 1 });
  expect(await trends("week")).toEqual({ "2026-03-02": 1 });

  await patch({ anonymize_ips: true });
  const addresses = () => weir.query("SELECT distinct_id, properties.$ip FROM events WHERE event = 'ip' ORDER BY 1");
  await until("the address is left out", HANG_MS, async () => {
    await weir.deliver([{ event: "ip", distinct_id: crypto.randomUUID(), properties: { $ip: "203.0.113.8" } }]);
    await weir.waitStored();
    return (await addresses()).results.some(([, address]) => address === null);
  });
});
