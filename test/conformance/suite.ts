import { type CaptureCase, runCaptureCase } from "./captureSuite.ts";
import { type ManagementCase, runManagementCase } from "./managementSuite.ts";
import type { Difference } from "./match.ts";
import { type QueryCase, runQueryCase } from "./querySuite.ts";
import type { Project, Service } from "./service.ts";

export const SUITES = ["capture", "management", "query"] as const;
export type Suite = (typeof SUITES)[number];

export type Case = { name: string };

export interface Result {
  name: string;
  outcome: "passed" | "failed" | "skipped";
  /** Of a failed case. */
  differences: Difference[];
  /** Why it was skipped. */
  reason?: string;
}

export interface SuiteOptions {
  service: Service;
  suite: Suite;
  cases: Case[];
  /** Name → reason: cases that decided deviations contradict. They count in the total. */
  exclusions: Record<string, string>;
  /** Cases at once. */
  concurrency: number;
  onResult?: (result: Result) => void;
}

/** Runs every case in a fresh project; results in the order of the cases. Nothing a case does ends the run. */
export async function runSuite(o: SuiteOptions): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < o.cases.length) {
      const index = next++;
      const result = await runOne(o, o.cases[index]!);
      results[index] = result;
      o.onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: o.concurrency }, work));
  return results;
}

const RUNNERS = {
  capture: (service: Service, project: Project, c: Case) => runCaptureCase(service, project, c as CaptureCase),
  management: (service: Service, project: Project, c: Case) => runManagementCase(service, project, c as ManagementCase),
  query: (service: Service, project: Project, c: Case) => runQueryCase(service, project, c as QueryCase),
};

async function runOne(o: SuiteOptions, testCase: Case): Promise<Result> {
  const { name } = testCase;
  const reason = Object.hasOwn(o.exclusions, name) ? o.exclusions[name] : undefined;
  if (reason !== undefined) return { name, outcome: "skipped", differences: [], reason };
  const differences = await runIn(o, testCase).catch((error: Error) => [
    { path: "case", expected: "an answer", got: error.message },
  ]);
  return { name, outcome: differences.length === 0 ? "passed" : "failed", differences };
}

async function runIn({ service, suite }: SuiteOptions, testCase: Case): Promise<Difference[]> {
  return RUNNERS[suite](service, await service.newProject(testCase.name), testCase);
}

/** The line that ends a report. */
export function summaryOf(results: Result[]): string {
  const count = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`;
}

const SHOWN_CHARACTERS = 400;

/** Each difference as case, path, expected, got. */
export function describeResult({ name, outcome, differences, reason }: Result): string {
  if (outcome === "skipped") return `SKIPPED ${name}: ${reason}`;
  const shown = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, SHOWN_CHARACTERS);
  return differences
    .map(
      ({ path, expected, got }) =>
        `FAILED ${name}\n  ${path}\n    expected ${shown(expected)}\n    got      ${shown(got)}`,
    )
    .join("\n");
}
