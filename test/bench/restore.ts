import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import S3rver from "s3rver";
import { weirOn } from "../commands/weirProcess.ts";
import { processesNaming, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { copyDataset } from "./dataset/copy.ts";
import type { Vocabulary } from "./dataset/vocabulary.ts";
import { insightQuestions } from "./insights/questions.ts";
import { trendQuestions } from "./trends/questions.ts";

export interface RestoreOptions {
  events: number;
}

const DEMO_MS = 600_000;
const DEAD_MS = 30_000;
const DIGITS = 12;
const BUCKET = "weir";
const KEYS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER", AWS_REGION: "us-east-1" };

/** Answers by the name of the question. */
type Answers = Record<string, string>;

/**
 * A Weir with a large project and the demo is backed up to a bucket while it runs, everything else is destroyed, and the backup restored into an
 * empty folder. Throws where an answer is another one than before.
 */
export async function benchRestore({ events }: RestoreOptions): Promise<object> {
  using copy = await copyDataset(events);
  const folder = mkdtempSync(join(copy.set.path, "run-"));
  const server = new S3rver({
    ...{ port: 0, address: "127.0.0.1", silent: true, directory: join(folder, "bucket") },
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const place = [`s3://${BUCKET}/daily`, "--endpoint", `http://127.0.0.1:${(await server.run()).port}`];
  try {
    const before = await backedUp(copy.dataDir, copy.set.vocabulary, place);
    const [restoredDir, beganMs] = [join(folder, "data"), performance.now()];
    const report = await command(restoredDir, ["restore", ...place]);
    const restoredMs = performance.now();
    await using weir = await startWeir({ dataDir: restoredDir, givenKeys: false });
    const readyMs = performance.now();
    weir.personalKey = before.key;
    const after = await answersOf(weir, copy.set.vocabulary, before.demo);
    const answeredMs = performance.now();
    const others = Object.keys(before.answers).filter((name) => after[name] !== before.answers[name]);
    if (others.length > 0) throw new Error(`answered otherwise than before: ${others.join(", ")}`);
    const { sizeBytes, files } = report.json as { sizeBytes: number; files: number };
    const seconds = (ms: number) => Math.round(ms / 100) / 10;
    return {
      ...{ bench: "restore", events, questions: Object.keys(after).length, files, sizeBytes },
      backupSeconds: seconds(before.backupMs),
      backupAgainSeconds: seconds(before.backupAgainMs),
      restoreSeconds: seconds(restoredMs - beganMs),
      readySeconds: seconds(readyMs - restoredMs),
      answersSeconds: seconds(answeredMs - readyMs),
    };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A project and its dashboard. */
interface Demo {
  id: number;
  primary_dashboard: number;
}

interface Before {
  demo: Demo;
  key: string;
  answers: Answers;
  backupMs: number;
  /** With nothing new but a minute's figures. */
  backupAgainMs: number;
}

/** Makes the demo, asks, backs up twice, and leaves no process and no file. */
async function backedUp(dataDir: string, vocabulary: Vocabulary, place: string[]): Promise<Before> {
  await using weir = await startWeir({ dataDir });
  const demo = await makeDemo(weir);
  const answers = await answersOf(weir, vocabulary, demo);
  const first = await command(dataDir, ["backup", ...place]);
  const second = await command(dataDir, ["backup", ...place]);
  for (const { pid } of processesNaming(dataDir)) process.kill(pid, "SIGKILL");
  await until("all to be dead", DEAD_MS, () => processesNaming(dataDir).length === 0);
  rmSync(dataDir, { recursive: true });
  return { demo, key: weir.personalKey, answers, backupMs: first.elapsedMs, backupAgainMs: second.elapsedMs };
}

async function makeDemo(weir: Weir): Promise<Demo> {
  const { status, json } = await weir.manage("POST", "/api/projects/demo/");
  if (status !== 201) throw new Error(`no demo: ${status}`);
  const demo = json as Demo;
  await until("the demo's events", DEMO_MS, async () => {
    const project = (await weir.manage("GET", `/api/projects/${demo.id}/`)).json as {
      is_generating_demo_data: boolean;
    };
    const status = (await weir.manage("GET", `/api/environments/${demo.id}/ingestion_status/`)).json as {
      queued: number;
    };
    return !project.is_generating_demo_data && status.queued === 0;
  });
  return demo;
}

/** To every question about the large project, and of every tile of the demo. */
async function answersOf(weir: Weir, vocabulary: Vocabulary, demo: Demo): Promise<Answers> {
  const answers: Answers = {};
  for (const [name, { node }] of Object.entries({ ...trendQuestions(vocabulary), ...insightQuestions(vocabulary) })) {
    const path = `/api/environments/${weir.environmentId}/query/`;
    const { status, json } = await weir.manage("POST", path, { query: node, refresh: "force_blocking" });
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(json)}`);
    answers[name] = textOf((json as { results: unknown }).results);
  }
  const board = `/api/environments/${demo.id}/dashboards/${demo.primary_dashboard}/?refresh=force_blocking`;
  const { tiles } = (await weir.manage("GET", board)).json as {
    tiles: { id: number; insight: { name: string; result: unknown } | null }[];
  };
  for (const { id, insight } of tiles) {
    if (insight !== null) answers[`tile ${id}, ${insight.name}`] = textOf(insight.result);
  }
  return answers;
}

/** Sums of fractions differ in their last digits with the order in which threads add them. */
function textOf(results: unknown): string {
  return JSON.stringify(results, (_, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value,
  );
}

async function command(dataDir: string, argv: string[]): Promise<{ json: unknown; elapsedMs: number }> {
  const beganMs = performance.now();
  const { out, error, code } = await weirOn(dataDir, [...argv, "--json"], KEYS);
  if (code !== 0) throw new Error(`weir ${argv[0]} ended with ${code}: ${error}${out}`);
  return { json: JSON.parse(out), elapsedMs: performance.now() - beganMs };
}
