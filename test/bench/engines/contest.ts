import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Dataset } from "../dataset/dataset.ts";
import { percentile, rounded, type Summary, summaryOf } from "../report.ts";
import { EngineProcess } from "./engineProcess.ts";
import { firstDifference } from "./equalRows.ts";

/** Who is asked, and in which of its ways. */
export interface Contender {
  /** The program of its process. */
  script: string;
  variant: string;
}

/** The same questions to all contenders, side by side. The first contender's rows are what the others' are compared with. */
export interface Contest<Name extends string> {
  set: Dataset;
  questions: readonly string[];
  contenders: Record<Name, Contender>;
  /** Whether a contender's way to ask differs from that of the others; all do where absent. */
  isAsked?: (question: string, name: Name) => boolean;
  coldRuns: number;
  warmRuns: number;
  /** A slow question is asked less often: its runs end after this time, and no sooner than after `FEWEST_RUNS`. */
  enoughMs: number;
}

export interface Answered<Name extends string> {
  question: string;
  engines: Partial<Record<Name, { cold: Summary; warm: Summary; warmCpuMs: number[] }>>;
  /** The first contender's median as a share of each other's. */
  ratios: { warm: Record<string, number>; cpu: Record<string, number>; cold: Record<string, number> };
  rows: unknown[][];
}

interface Times {
  coldMs: number[];
  warmMs: number[];
  /** Of each warm run, all threads. */
  warmCpuMs: number[];
}

const WARM_UP_RUNS = 2;
const FEWEST_RUNS = 3;

/** Asks everything, first cold, then warm. Fails when the rows of two contenders differ. */
export async function compete<Name extends string>(contest: Contest<Name>): Promise<Answered<Name>[]> {
  const { set, questions } = contest;
  const measured = questions.map((question) => {
    const names = namesOf(contest).filter((name) => contest.isAsked?.(question, name) ?? true);
    const times = new Map(names.map((name): [Name, Times] => [name, { coldMs: [], warmMs: [], warmCpuMs: [] }]));
    return { question, times };
  });
  try {
    for (const each of measured) await askCold(contest, each);
    const processes = new Map(scriptsOf(contest).map((script) => [script, new EngineProcess(script, [set.path])]));
    await using stack = new AsyncDisposableStack();
    for (const process of processes.values()) stack.use(process);
    const answered: Answered<Name>[] = [];
    for (const each of measured) {
      const rows = await askWarm(contest, each, processes);
      answered.push({ question: each.question, ...summary(each.times), rows });
    }
    return answered;
  } finally {
    for (const name of readdirSync(set.path)) {
      if (name.startsWith("run-")) rmSync(join(set.path, name), { recursive: true, force: true });
    }
  }
}

interface Measured<Name> {
  question: string;
  times: Map<Name, Times>;
}

const namesOf = <Name extends string>({ contenders }: Contest<Name>) => Object.keys(contenders) as Name[];
const scriptsOf = <Name extends string>(contest: Contest<Name>) => [
  ...new Set(namesOf(contest).map((name) => contest.contenders[name].script)),
];

/** The first answer of a new process; the files are in the page cache. */
async function askCold<Name extends string>(contest: Contest<Name>, { question, times }: Measured<Name>) {
  console.error(`cold: ${question}`);
  for (const [name, { coldMs }] of times) {
    const { script, variant } = contest.contenders[name];
    for (let run = 0; run < contest.coldRuns; run++) {
      await using engine = new EngineProcess(script, [contest.set.path]);
      const { ms } = await engine.ask({ question, variant });
      coldMs.push(ms);
      if (run === 0 && ms > contest.enoughMs / contest.coldRuns) break;
    }
  }
}

/** Engines take turns, so that what else the machine does meets all of them. Gives the rows of all. */
async function askWarm<Name extends string>(
  contest: Contest<Name>,
  { question, times }: Measured<Name>,
  processes: ReadonlyMap<string, EngineProcess>,
): Promise<unknown[][]> {
  console.error(`warm: ${question}`);
  let expected: unknown[][] | null = null;
  for (let run = 0; run < WARM_UP_RUNS + contest.warmRuns; run++) {
    for (const [name, { warmMs, warmCpuMs }] of times) {
      const { script, variant } = contest.contenders[name];
      const spentMs = warmMs.reduce((sum, ms) => sum + ms, 0);
      if (spentMs > contest.enoughMs && warmMs.length >= FEWEST_RUNS) continue;
      const engine = processes.get(script)!;
      const before = engine.cpuMs;
      const { ms, rows } = await engine.ask({ question, variant });
      expected ??= rows;
      const difference = firstDifference(expected, rows);
      if (difference !== null) throw new Error(`${question}: ${name} differs from the first: ${difference}`);
      if (rows.length === 0) throw new Error(`${question}: no rows`);
      if (run < WARM_UP_RUNS) continue;
      warmMs.push(ms);
      warmCpuMs.push(engine.cpuMs - before);
    }
  }
  return expected!;
}

function summary<Name extends string>(times: ReadonlyMap<Name, Times>): Omit<Answered<Name>, "question" | "rows"> {
  const [first, ...others] = [...times];
  const ratiosOf = (of: keyof Times) => {
    const median = percentile(first![1][of], 0.5);
    return Object.fromEntries(others.map(([name, each]) => [name, rounded(median / percentile(each[of], 0.5), 2)]));
  };
  const engines: Answered<Name>["engines"] = {};
  for (const [name, { coldMs, warmMs, warmCpuMs }] of times) {
    engines[name] = { cold: summaryOf(coldMs), warm: summaryOf(warmMs), warmCpuMs };
  }
  return { engines, ratios: { warm: ratiosOf("warmMs"), cpu: ratiosOf("warmCpuMs"), cold: ratiosOf("coldMs") } };
}
