import { parseArgs } from "node:util";
import EXCLUSIONS from "./exclusions.json";
import { Service } from "./service.ts";
import { type Case, describeResult, type Result, runSuite, SUITES, type Suite, summaryOf } from "./suite.ts";

const HELP = `bun test/conformance/run.ts --base URL --suite capture|management|query --cases FILE [options]

Runs the cases of a file against a running service, each in a project of its own. The key of an owner with
scope * is taken from WEIR_PERSONAL_API_KEY. Exits with 1 when a case fails.

  --only PATTERN      cases whose name matches this regular expression
  --json FILE         writes the results there, too
  --concurrency N     cases at once (default 6)
`;

const DEFAULT_CONCURRENCY = 6;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      base: { type: "string" },
      suite: { type: "string" },
      cases: { type: "string" },
      only: { type: "string" },
      json: { type: "string" },
      concurrency: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const suite = SUITES.find((name) => name === values.suite);
  const key = process.env.WEIR_PERSONAL_API_KEY;
  if (values.base === undefined || suite === undefined || values.cases === undefined || key === undefined) {
    console.error(HELP);
    return 2;
  }
  const results = await runSuite({
    service: new Service(values.base.replace(/\/+$/, ""), key),
    suite,
    cases: await readCases(values.cases, values.only),
    exclusions: exclusionsOf(suite),
    concurrency: Math.max(1, Number(values.concurrency ?? DEFAULT_CONCURRENCY) || DEFAULT_CONCURRENCY),
    onResult: (result) => {
      if (result.outcome !== "passed") console.log(describeResult(result));
    },
  });
  if (values.json !== undefined) await Bun.write(values.json, `${JSON.stringify(results, null, 2)}\n`);
  console.log(summaryOf(results));
  return exitCodeOf(results);
}

function exclusionsOf(suite: Suite): Record<string, string> {
  return EXCLUSIONS[suite];
}

async function readCases(path: string, only: string | undefined): Promise<Case[]> {
  const cases = (await Bun.file(path).json()) as Case[];
  if (only === undefined) return cases;
  const pattern = new RegExp(only);
  return cases.filter(({ name }) => pattern.test(name));
}

/** A run without cases proves nothing. */
function exitCodeOf(results: Result[]): number {
  return results.length === 0 || results.some(({ outcome }) => outcome === "failed") ? 1 : 0;
}

if (import.meta.main) process.exit(await main());
