import { startWeir, type Weir } from "../support/weir.ts";
import { liveFiles, untilCompacted } from "./compaction.ts";
import { percentile } from "./report.ts";

export interface FilesOptions {
  /** Of an import over three years, in no order. */
  events: number;
  /** Small projects that send at once. */
  projects: number;
}

const SAMPLE_MS = 1_000;
const DRAIN_MS = 450_000;
/** Of each small project. */
const ROUNDS = 20;
const ROUND_EVENTS = 5;
const SENDERS = 8;

/** What was seen while something went on. */
interface Seen {
  elapsedMs: number;
  mostFiles: number;
  filesAtRest: number;
  /** By second. */
  files: number[];
  queryMs: { p50: number; p95: number; worst: number };
  queryTimesMs: number[];
}

/** Watches the number of live files, and asks for a trend of a day over and over, while `body` runs and until compaction rests. */
async function watch(weir: Weir, body: () => Promise<void>): Promise<Seen> {
  const startedAt = performance.now();
  const files: number[] = [];
  const queryTimesMs: number[] = [];
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      files.push(await liveFiles(weir));
      const askedAt = performance.now();
      await weir.trends({ series: [{ kind: "EventsNode", event: null, math: "total" }] }, "force_blocking");
      queryTimesMs.push(Math.round(performance.now() - askedAt));
      await Bun.sleep(SAMPLE_MS);
    }
  })();
  await body();
  const elapsedMs = Math.round(performance.now() - startedAt);
  await untilCompacted(weir);
  isOver = true;
  await sampling;
  const share = (of: number) => percentile(queryTimesMs, of);
  return {
    elapsedMs,
    mostFiles: Math.max(...files),
    filesAtRest: await liveFiles(weir),
    files,
    queryMs: { p50: share(0.5), p95: share(0.95), worst: share(1) },
    queryTimesMs,
  };
}

async function importYears(weir: Weir, events: number): Promise<void> {
  const script = new URL("./migration.ts", import.meta.url).pathname;
  const args = [weir.url, weir.projectKey, String(events), "years"];
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error("the migration failed");
  const { stored } = await weir.waitStored(DRAIN_MS);
  if (stored !== events) throw new Error(`${events} events were sent, ${stored} are stored`);
}

async function makeProjects(weir: Weir, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) {
    const headers = { authorization: `Bearer ${weir.personalKey}` };
    const response = await weir.post("/api/projects/", JSON.stringify({ name: `small ${i}` }), headers);
    tokens.push(((await response.json()) as { api_token: string }).api_token);
  }
  return tokens;
}

async function sendSmall(weir: Weir, tokens: readonly string[]): Promise<void> {
  const waiting = Array.from({ length: ROUNDS }, () => tokens).flat();
  const sender = async () => {
    for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
      const batch = Array.from({ length: ROUND_EVENTS }, () => ({ event: "small", distinct_id: crypto.randomUUID() }));
      const response = await weir.post("/batch/", JSON.stringify({ api_key: token, batch }));
      if (response.status !== 200) throw new Error(`a batch was answered with ${response.status}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

/** How many files there are, during and after an import of years, and with many small projects active at once. */
export async function benchFiles(o: FilesOptions): Promise<object> {
  const years = await (async () => {
    await using weir = await startWeir();
    return await watch(weir, () => importYears(weir, o.events));
  })();
  console.error(`import: ${years.mostFiles} files at most, ${years.filesAtRest} at rest`);
  const small = await (async () => {
    await using weir = await startWeir();
    const tokens = await makeProjects(weir, o.projects);
    return await watch(weir, () => sendSmall(weir, tokens));
  })();
  console.error(`small projects: ${small.mostFiles} files at most, ${small.filesAtRest} at rest`);
  return { bench: "files", ...o, years, small };
}
