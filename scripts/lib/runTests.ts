/** Runs the checks and the tests, checks that no process is left behind, and ends with `N passed, N failed`. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { failuresIn } from "./testFailures.ts";
import { readTestReport, type TestReport } from "./testReport.ts";

/** Tests start real servers; this only ends a hang. (Bun reads no time limit from bunfig.toml.) */
const TEST_TIMEOUT_MS = 900_000;
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
async function check(name: string, command: string[]): Promise<Tally> {
  const run = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [output, errors, exitCode] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
  process.stdout.write(`${output}${errors}${exitCode === 0 ? "(pass)" : "(fail)"} ${name}\n`);
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** One after the other, beside the tests: those wait much, and this takes the better part of a minute. */
async function runChecks(): Promise<Tally[]> {
  const bin = (name: string) => [process.execPath, join("node_modules", ".bin", name)];
  return [
    await check("biome check", [...bin("biome"), "check", "."]),
    await check("tsc --noEmit", [...bin("tsc"), "--noEmit"]),
    await check("tsc of the pages", [...bin("tsc"), "--noEmit", "-p", "src/web/app"]),
  ];
}

/** Of each test file, in ms: what takes longest is begun first. `scripts/test --update-timings` writes them anew. */
const TIMINGS = "scripts/lib/testTimings.json";
/** Test files that run beside each other: they wait much, for servers and browsers. */
const AT_ONCE = 2 * availableParallelism();

async function runTests(
  { files, options, byName, seed, isLong }: Selection,
  scratch: string,
  runId: string,
): Promise<Tally> {
  if (files.length === 0) return nothingRan("no test file matches");
  const tellSeed = () => seed && console.log(`random cases of WEIR_TEST_SEED=${seed}`);
  tellSeed();
  const junit = join(scratch, "report.xml");
  const output = join(scratch, "output.log");
  // Files share the modules of their process, which are read once then.
  const command = [process.execPath, "test", `--parallel=${AT_ONCE}`, "--no-isolate", `--timings=${TIMINGS}`];
  command.push(`--timeout=${TEST_TIMEOUT_MS}`, "--reporter=junit", `--reporter-outfile=${junit}`);
  command.push(...options, ...files.map((file) => `./${file}`));
  // What the tests leave behind may keep a pipe open for good; a file is no such trouble.
  const child = Bun.spawn(["sh", "-c", 'exec "$@" >"$0" 2>&1', output, ...command], {
    env: {
      ...process.env,
      TMPDIR: scratch,
      // As scripts/weir has it.
      MIMALLOC_PURGE_DELAY: "1000",
      WEIR_TEST_RUN: runId,
      WEIR_TEST_SEED: seed,
      WEIR_TEST_CASES: isLong ? String(LONG_CASES) : process.env.WEIR_TEST_CASES,
    },
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  const exitCode = await child.exited;
  process.off("SIGINT", forward).off("SIGTERM", forward);
  const printed = readFileSync(output, "utf8");
  process.stdout.write(printed);
  const report = existsSync(junit) ? readTestReport(readFileSync(junit, "utf8")) : null;
  const tally = tallyOf({ files, exitCode, report, byName });
  // Once more at the end, where a reader of a long log looks first.
  for (const failure of failuresIn(printed)) console.log(`\n${failure}`);
  tellSeed();
  return tally.passed + tally.failed > 0 ? tally : nothingRan("no test ran");
}

function nothingRan(why: string): Tally {
  console.log(why);
  return { passed: 0, failed: 1 };
}

interface Run {
  files: readonly string[];
  exitCode: number;
  /** Null when it ended without one. */
  report: TestReport | null;
  byName: boolean;
}

function tallyOf({ files, exitCode, report, byName }: Run): Tally {
  if (report === null) {
    // With a pattern for names there may be nothing to run.
    if (byName) return { passed: 0, failed: 0 };
    return nothingRan(`bun test ended with ${exitCode} and without a report`);
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
const tallies: Tally[] = [];
try {
  const [checks, tests] = await Promise.all([runChecks(), runTests(selection, scratch, runId)]);
  tallies.push(...checks, tests, await endStrays(runId));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const failed = sum(tallies, "failed");
console.log(`${sum(tallies, "passed")} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
