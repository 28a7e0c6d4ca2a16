/** Runs the checks and the tests, sees that nothing is left behind, and ends with `N passed, N failed`. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTestReport } from "./testReport.ts";

/** Tests start real servers; this only ends a hang. (Bun reads no time limit from bunfig.toml.) */
const TEST_TIMEOUT_MS = 60_000;
const LONG_TESTS = "test/long/";
/** Options of `bun test` whose value is the next argument. */
const OPTIONS_WITH_VALUE = new Set(["-t", "--test-name-pattern"]);

interface Selection {
  files: string[];
  options: string[];
  /** A name pattern may leave files without a test, so a file missing in the report means nothing. */
  byName: boolean;
}

interface Tally {
  passed: number;
  failed: number;
}

function select(argv: string[]): Selection {
  const options: string[] = [];
  const paths: string[] = [];
  let long = false;
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!;
    if (argument === "--long") long = true;
    else if (OPTIONS_WITH_VALUE.has(argument)) options.push(argument, argv[++i] ?? "");
    else if (argument.startsWith("-")) options.push(argument);
    else paths.push(argument.replace(/^\.\//, ""));
  }
  const files = [...new Bun.Glob("test/**/*.test.ts").scanSync(".")]
    .filter((file) => long || !file.startsWith(LONG_TESTS))
    .filter((file) => paths.length === 0 || paths.some((path) => file.includes(path)))
    .sort();
  return { files, options, byName: options.some((option) => option.startsWith("-t") || option.startsWith("--test-")) };
}

/** A command that must end with 0; counts as one test. */
function check(name: string, command: string[]): Tally {
  const run = Bun.spawnSync(command, { stdout: "inherit", stderr: "inherit" });
  console.log(`${run.exitCode === 0 ? "(pass)" : "(fail)"} ${name}`);
  return run.exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function runTests(selection: Selection, scratch: string, runId: string): Promise<Tally> {
  if (selection.files.length === 0) {
    console.log("no test file matches");
    return { passed: 0, failed: 1 };
  }
  const junit = join(scratch, "junit.xml");
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      `--timeout=${TEST_TIMEOUT_MS}`,
      "--reporter=junit",
      `--reporter-outfile=${junit}`,
      ...selection.options,
      ...selection.files.map((file) => `./${file}`),
    ],
    { stdout: "inherit", stderr: "inherit", env: { ...process.env, TMPDIR: scratch, WEIR_TEST_RUN: runId } },
  );
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  const exitCode = await child.exited;
  process.off("SIGINT", forward).off("SIGTERM", forward);
  if (!existsSync(junit)) {
    console.log(`bun test ended with ${exitCode} and without a report`);
    return { passed: 0, failed: 1 };
  }
  const report = readTestReport(readFileSync(junit, "utf8"));
  // A file that cannot be loaded is not in the report at all.
  const unloaded = selection.byName ? [] : selection.files.filter((file) => !report.files.has(file));
  for (const file of unloaded) console.log(`(fail) ${file} did not run`);
  if (report.skipped > 0) console.log(`${report.skipped} skipped${process.env.CI ? ", which counts as failed" : ""}`);
  let failed = report.failed + unloaded.length + (process.env.CI ? report.skipped : 0);
  if (report.passed + failed === 0) console.log("no test ran");
  if (failed === 0 && (exitCode !== 0 || report.passed === 0)) failed = 1;
  return { passed: report.passed, failed };
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
  tallies.push(await runTests(selection, scratch, runId));
  tallies.push(await endStrays(runId));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
const failed = sum((tally) => tally.failed);
console.log(`${sum((tally) => tally.passed)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
