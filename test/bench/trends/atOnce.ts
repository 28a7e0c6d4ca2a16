import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../src/config.ts";
import { startWeir, type Weir } from "../../support/weir.ts";
import { copyDataset } from "../dataset/copy.ts";
import type { Answered } from "../engines/contest.ts";
import { firstDifference } from "../engines/equalRows.ts";
import { percentile, rounded, summaryOf } from "../report.ts";
import { trendQuestions } from "./questions.ts";
import { rowsOfItems } from "./rows.ts";

const SAMPLE_MS = 10;

export interface AtOnceOptions {
  events: number;
  /** What is asked, and the rows that are right. */
  answered: readonly Pick<Answered<string>, "question" | "rows">[];
  runs: number;
}

/**
 * Some trends asked of a whole Weir: first as its first questions, its files out of the page cache; then again one after the other,
 * then all at the same moment. A wrong answer is a failure.
 */
export async function benchAtOnce({ events, answered, runs }: AtOnceOptions): Promise<object> {
  using copy = await copyDataset(events);
  await using weir = await startWeir({ dataDir: copy.dataDir });
  evict(join(copy.dataDir, "lake"));
  const questions = trendQuestions(copy.set.vocabulary);
  const ask = async ({ question, rows }: AtOnceOptions["answered"][number]): Promise<number> => {
    const begun = performance.now();
    const items = await weir.trends(questions[question]!.node, "force_blocking");
    const ms = performance.now() - begun;
    const difference = firstDifference(rows, rowsOfItems(items));
    if (difference !== null) throw new Error(`${question}, of a whole Weir: ${difference}`);
    return ms;
  };
  const inTurn = async () => {
    const times: number[] = [];
    for (const each of answered) times.push(await ask(each));
    return times;
  };
  const first = summaryOf(await inTurn());
  using memory = new MemorySamples(weir);
  const oneByOne = await measured(runs, memory, inTurn);
  const atOnce = await measured(runs, memory, () => Promise.all(answered.map(ask)));
  const { queryMemoryBytes } = loadConfig({});
  if (atOnce.peakBytes > queryMemoryBytes) {
    throw new Error(`the query processes took ${atOnce.peakBytes} bytes, ${queryMemoryBytes} are allowed`);
  }
  const median = (times: readonly number[]) => percentile(times, 0.5);
  return {
    questions: answered.map(({ question }) => question),
    queryProcesses: memory.processes,
    memoryLimitBytes: queryMemoryBytes,
    first,
    oneByOne,
    atOnce,
    wallRatio: rounded(median(atOnce.wallMs) / median(oneByOne.wallMs), 2),
  };
}

/** Takes the files out of the page cache, without privileges. */
function evict(directory: string): void {
  for (const name of readdirSync(directory)) {
    Bun.spawnSync(["dd", `if=${join(directory, name)}`, "iflag=nocache", "count=0"], { stderr: "ignore" });
  }
}

async function measured(runs: number, memory: MemorySamples, askAll: () => Promise<number[]>) {
  const times: number[] = [];
  const wallMs: number[] = [];
  for (let run = 0; run < runs; run++) {
    const begun = performance.now();
    times.push(...(await askAll()));
    wallMs.push(rounded(performance.now() - begun));
  }
  return { ...summaryOf(times), wallMs, peakBytes: memory.takePeak() };
}

/** The resident memory of all query processes together, looked at again and again. */
class MemorySamples {
  private peakBytes = 0;
  processes = 0;
  private readonly timer: Timer;

  constructor(private readonly weir: Weir) {
    this.timer = setInterval(() => this.look(), SAMPLE_MS);
  }

  /** The highest sum since the last call. */
  takePeak(): number {
    const peak = this.peakBytes;
    this.peakBytes = 0;
    return peak;
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const directory = join(this.weir.dataDir, "run");
    const pids = readdirSync(directory)
      .filter((name) => /^query-\d+\.pid$/.test(name))
      .map((name) => Number(readFileSync(join(directory, name), "utf8")));
    this.processes = pids.length;
    this.peakBytes = Math.max(
      this.peakBytes,
      pids.reduce((sum, pid) => sum + residentBytes(pid), 0),
    );
  }
}

function residentBytes(pid: number): number {
  const kiB = readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmRSS:\s+(\d+) kB/m)?.[1];
  return Number(kiB ?? 0) * 1024;
}
