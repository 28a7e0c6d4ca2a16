import { afterAll, beforeAll, expect, test } from "bun:test";
import { startWeir, type Weir } from "../support/weir.ts";

const EVENTS = 300;

let weir: Weir;
beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_FLUSH_MS: "100" } });
  await weir.deliver(
    Array.from({ length: EVENTS }, (_, i) => ({ event: "seen", distinct_id: `d${i}`, uuid: crypto.randomUUID() })),
  );
  await weir.waitStored();
});
afterAll(() => weir[Symbol.asyncDispose]());

/** By name and labels, as they stand in the text; every sample must follow its HELP and TYPE. */
async function scrape(): Promise<Map<string, number>> {
  const text = await (await fetch(`${weir.url}/metrics`)).text();
  const types = new Set<string>();
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    const [, type] = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line) ?? [];
    if (type !== undefined) types.add(type);
    if (line.startsWith("#")) continue;
    const [, key, name, value] = /^((\w+)(?:\{[^}]*\})?) (\S+)$/.exec(line)!;
    expect(types.has(name!) || types.has(name!.replace(/_(bucket|sum|count)$/, ""))).toBe(true);
    expect(samples.has(key!)).toBe(false);
    samples.set(key!, Number(value));
  }
  return samples;
}

test("the stages of ingestion are in the figures, and add up", async () => {
  const figures = await scrape();
  expect(figures.get("weir_events_accepted_total")).toBe(EVENTS);
  expect(figures.get('weir_events_settled_total{outcome="stored"}')).toBe(EVENTS);
  expect(figures.get('weir_events_queued{lane="live"}')).toBe(0);
  expect(figures.get('weir_lag_seconds{lane="live"}')).toBe(0);
  expect([...figures.keys()].filter((key) => key.startsWith("weir_sequences_behind"))).toHaveLength(4 * 16);
  expect(figures.get("weir_workers")).toBe(1);
  expect(figures.get("weir_partitions_without_owner")).toBe(0);
  expect(figures.get("weir_broker_up")).toBe(1);
  for (const process of ["main", "front", "api", "worker-0", "compactor"]) {
    expect(figures.get(`weir_process_resident_bytes{process="${process}"}`)).toBeGreaterThan(1_000_000);
  }
});

test("calculations are counted by kind, failed ones too, and no name of a stranger becomes a label", async () => {
  await weir.number("SELECT count() FROM events");
  await weir.api("/query/", { body: { query: { kind: "HogQLQuery", query: "SELECT nothing FROM events" } } });
  await weir.api("/query/", { body: { query: { kind: 'x"} 1\nweir_workers 7', query: "" } } });
  const figures = await scrape();
  const label = '{kind="HogQLQuery"}';
  expect(figures.get(`weir_query_duration_seconds_count${label}`)).toBeGreaterThanOrEqual(2);
  expect(figures.get(`weir_query_failures_total${label}`)).toBe(1);
  expect(figures.get('weir_query_duration_seconds_bucket{kind="HogQLQuery",le="+Inf"}')).toBe(
    figures.get(`weir_query_duration_seconds_count${label}`)!,
  );
  expect(figures.get("weir_workers")).toBe(1);
});

test("while the broker is away the other figures are there", async () => {
  process.kill(weir.pidOf("nats-server"), "SIGSTOP");
  try {
    const figures = await scrape();
    expect(figures.get("weir_segments_live")).toBeGreaterThan(0);
    expect(figures.get("weir_broker_up")).toBe(0);
    expect(figures.has("weir_events_accepted_total")).toBe(false);
  } finally {
    process.kill(weir.pidOf("nats-server"), "SIGCONT");
  }
}, 60_000);
