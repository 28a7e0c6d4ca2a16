import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const REPO = new URL("../..", import.meta.url).pathname;
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
  const frames = figures.get('weir_frames_total{lane="live"}')!;
  expect(frames).toBeGreaterThan(0);
  expect(frames).toBeLessThanOrEqual(EVENTS);
  expect(figures.get('weir_frames_total{lane="history"}')).toBe(0);
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

test("each partition tells its lag, and commits their time", async () => {
  await weir.deliver([{ event: "seen", distinct_id: "late", uuid: crypto.randomUUID() }]);
  await weir.waitStored();
  const figures = await scrape();
  const lags = [...figures].filter(([key]) => key.startsWith("weir_partition_lag_seconds"));
  expect(lags).toHaveLength(4 * 16);
  expect(lags.every(([, lag]) => lag === 0)).toBe(true);
  const commits = figures.get("weir_commit_duration_seconds_count")!;
  expect(commits).toBeGreaterThan(0);
  expect(figures.get('weir_commit_duration_seconds_bucket{le="+Inf"}')).toBe(commits);
  expect(figures.get("weir_commit_duration_seconds_sum")).toBeGreaterThan(0);
  // What waits has an age, in its partition alone.
  process.kill(weir.pidOf("worker-0"), "SIGSTOP");
  try {
    await weir.deliver([{ event: "seen", distinct_id: "waits", uuid: crypto.randomUUID() }]);
    await until("an age", HANG_MS, async () => {
      const late = [...(await scrape())].filter(
        ([key, lag]) => key.startsWith("weir_partition_lag_seconds") && lag > 0,
      );
      expect(late.length).toBeLessThanOrEqual(1);
      return late.length === 1;
    });
  } finally {
    process.kill(weir.pidOf("worker-0"), "SIGCONT");
  }
  await weir.waitStored();
});

test("kept results are told from calculated ones", async () => {
  const use = async () => {
    const figures = await scrape();
    return ["hit", "miss"].map((outcome) => figures.get(`weir_query_cache_total{outcome="${outcome}"}`)!);
  };
  const [hits, misses] = await use();
  const node = { series: [{ kind: "EventsNode", event: "kept" }] };
  await weir.trends(node);
  expect(await use()).toEqual([hits!, misses! + 1]);
  await weir.trends(node);
  expect(await use()).toEqual([hits! + 1, misses! + 1]);
});

test("dashboard, alert rules and the page about metrics name what there is, and the page names all", async () => {
  const text = await (await fetch(`${weir.url}/metrics`)).text();
  const given = new Set<string>();
  for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    for (const part of type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]) given.add(name! + part);
  }
  const namedIn = (path: string) => new Set(readFileSync(join(REPO, path), "utf8").match(/\bweir_\w+/g));
  for (const path of ["deploy/grafana/weir.json", "deploy/prometheus/weir.rules.yml"]) {
    expect([...namedIn(path)].filter((name) => !given.has(name))).toEqual([]);
  }
  const page = namedIn("docs/operations.md");
  const base = (name: string) => name.replace(/_(bucket|sum|count)$/, "");
  expect([...given].filter((name) => !page.has(name) && !page.has(base(name)))).toEqual([]);
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
});
