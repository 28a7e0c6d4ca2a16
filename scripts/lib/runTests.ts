/** Runs the checks and the tests, checks that no process is left behind, and ends with `N passed, N failed`. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failuresIn } from "./testFailures.ts";
import { readTestReport, type TestReport } from "./testReport.ts";

/** Tests start real servers; this only ends a hang. (Bun reads no time limit from bunfig.toml.) */
const TEST_TIMEOUT_MS = 60_000;
const LONG_TESTS = "test/long/";
/** How many times the usual number of random cases properties of queries try with `--long`. */
const LONG_CASES = 20;
/** Options of `bun test` whose value is the next argument. */
const OPTIONS_WITH_VALUE = new Set(["-t", "--test-name-pattern"]);

interface Selection {
  files: string[];
  options: string[];
  /** A name pattern may leave files without a test, so a file missing in the report means nothing. */
  byName: boolean;
  /** Of the random cases; undefined for the same as always. */
  seed: string | undefined;
  /** Asked for with `--long`. */
  isLong: boolean;
}

interface Tally {
  passed: number;
  failed: number;
}

function sum(tallies: readonly Tally[], of: keyof Tally): number {
  return tallies.reduce((total, tally) => total + tally[of], 0);
}

function select(argv: string[]): Selection {
  const options: string[] = [];
  const paths: string[] = [];
  let isLong = false;
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!;
    if (argument === "--long") isLong = true;
    else if (OPTIONS_WITH_VALUE.has(argument)) options.push(argument, argv[++i] ?? "");
    else if (argument.startsWith("-")) options.push(argument);
    else paths.push(argument.replace(/^\.\//, ""));
  }
  const files = [...new Bun.Glob("test/**/*.test.ts").scanSync(".")]
    .filter((file) => isLong || !file.startsWith(LONG_TESTS))
    .filter((file) => paths.length === 0 || paths.some((path) => file.includes(path)))
    .sort();
  return {
    files,
    options,
    isLong,
    byName: options.some((option) => option.startsWith("-t") || option.startsWith("--test-")),
    seed:
      process.env.WEIR_TEST_SEED || (isLong ? String(crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1) : undefined),
  };
}

/** A command that must end with 0; counts as one test. */
function check(name: string, command: string[]): Tally {
  const run = Bun.spawnSync(command, { stdout: "inherit", stderr: "inherit" });
  console.log(`${run.exitCode === 0 ? "(pass)" : "(fail)"} ${name}`);
  return run.exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** What clients see: in a browser, by SDKs, over HTTP, in a terminal. */
const ASKING = /^test\/(capture|commands|manage|metadata|openapi|sdk|web)\//;
/** Files whose tests mostly wait for servers of their own, and random queries. */
const WAITING = /^test\/(conformance|e2e|stream)\/|^test\/query\/.*\.property\.test\.ts$/;
/** What runs beside each other, so that two cores are used. */
const LANES: Record<string, (file: string) => boolean> = {
  waiting: (file) => WAITING.test(file),
  asking: (file) => ASKING.test(file),
  working: (file) => !WAITING.test(file) && !ASKING.test(file),
};

interface LaneRun {
  files: readonly string[];
  exitCode: number;
  /** Null when it ended without one. */
  report: TestReport | null;
  /** Its output of each test that failed. */
  failures: readonly string[];
}

/** One process of `bun test`. */
async function runLane(
  name: string,
  files: readonly string[],
  o: Pick<Selection, "options" | "seed" | "isLong"> & { scratch: string; runId: string },
): Promise<LaneRun> {
  const junit = join(o.scratch, `${name}.xml`);
  const output = join(o.scratch, `${name}.log`);
  const command = [process.execPath, "test", `--timeout=${TEST_TIMEOUT_MS}`];
  command.push("--reporter=junit", `--reporter-outfile=${junit}`, ...o.options, ...files.map((file) => `./${file}`));
  const child = Bun.spawn(["sh", "-c", 'exec "$@" >"$0" 2>&1', output, ...command], {
    env: {
      ...process.env,
      TMPDIR: o.scratch,
      WEIR_TEST_RUN: o.runId,
      WEIR_TEST_SEED: o.seed,
      WEIR_TEST_CASES: o.isLong ? String(LONG_CASES) : process.env.WEIR_TEST_CASES,
    },
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  const exitCode = await child.exited;
  process.off("SIGINT", forward).off("SIGTERM", forward);
  const printed = readFileSync(output, "utf8");
  process.stdout.write(printed);
  const report = existsSync(junit) ? readTestReport(readFileSync(junit, "utf8")) : null;
  return { files, exitCode, report, failures: failuresIn(printed) };
}

async function runTests(selection: Selection, scratch: string, runId: string): Promise<Tally> {
  const { files, options, byName, seed, isLong } = selection;
  const lanes = Object.entries(LANES).map(([name, has]) => [name, files.filter(has)] as const);
  const wanted = lanes.filter(([, own]) => own.length > 0);
  if (wanted.length === 0) console.log("no test file matches");
  const tellSeed = () => seed && console.log(`random cases of WEIR_TEST_SEED=${seed}`);
  tellSeed();
  const runs = await Promise.all(
    wanted.map(([name, own]) => runLane(name, own, { options, seed, isLong, scratch, runId })),
  );
  const tallies = runs.map((run) => tallyOf(run, byName));
  // Once more at the end, where a reader of a long log looks first.
  for (const failure of runs.flatMap((run) => run.failures)) console.log(`\n${failure}`);
  tellSeed();
  const tally = { passed: sum(tallies, "passed"), failed: sum(tallies, "failed") };
  if (tally.passed + tally.failed > 0) return tally;
  console.log("no test ran");
  return { passed: 0, failed: 1 };
}

function tallyOf({ files, exitCode, report }: LaneRun, byName: boolean): Tally {
  if (report === null) {
    // With a pattern for names, a process may have nothing to run.
    if (byName) return { passed: 0, failed: 0 };
    console.log(`bun test ended with ${exitCode} and without a report`);
    return { passed: 0, failed: 1 };
  }
  // A file that cannot be loaded is not in the report at all.
  const unloaded = byName ? [] : files.filter((file) => !report.files.has(file));
  for (const file of unloaded) console.log(`(fail) ${file} did not run`);
  if (report.skipped > 0) console.log(`${report.skipped} skipped${process.env.CI ? ", which counts as failed" : ""}`);
  const failed = report.failed + unloaded.length + (process.env.CI ? report.skipped : 0);
  const isOdd = failed === 0 && exitCode !== 0 && !byName;
  if (isOdd) console.log(`bun test ended with ${exitCode} though no test failed`);
  return { passed: report.passed, failed: isOdd ? 1 : failed };
}

/** Processes that carry this run's mark in their environment. */
function strays(runId: string): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`WEIR_TEST_RUN=${runId}`);
      } catch {
        return false; // it has ended, or is another user's
      }
    });
}

async function endStrays(runId: string): Promise<Tally> {
  const giveUpAt = Date.now() + 5_000;
  while (strays(runId).length > 0 && Date.now() < giveUpAt) await Bun.sleep(100);
  const left = strays(runId);
  for (const pid of left) {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 200);
    console.log(`(fail) the tests left a process behind: ${pid} ${command}`);
    process.kill(pid, "SIGKILL");
  }
  return { passed: 0, failed: left.length };
}

const selection = select(process.argv.slice(2));
const scratch = mkdtempSync(join(realpathSync(tmpdir()), "weir-test-"));
// Servers that refuse to run as root run as another user, and must get in.
chmodSync(scratch, 0o755);
const runId = crypto.randomUUID();
const bin = (name: string) => join("node_modules", ".bin", name);
const tallies: Tally[] = [];
try {
  tallies.push(check("biome check", [process.execPath, bin("biome"), "check", "."]));
  tallies.push(check("tsc --noEmit", [process.execPath, bin("tsc"), "--noEmit"]));
  tallies.push(check("tsc of the pages", [process.execPath, bin("tsc"), "--noEmit", "-p", "src/web/app"]));
  tallies.push(await runTests(selection, scratch, runId));
  tallies.push(await endStrays(runId));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const failed = sum(tallies, "failed");
console.log(`${sum(tallies, "passed")} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
