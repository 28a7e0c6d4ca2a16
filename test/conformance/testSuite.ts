import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startWeir, type Weir } from "../support/weir.ts";
import EXCLUSIONS from "./exclusions.json";
import { Service } from "./service.ts";
import { type Case, describeResult, type Result, runSuite, type Suite } from "./suite.ts";

const AT_ONCE = 6;

/** One test a case of a suite against a Weir of its own. `expectedFailures`: name → why it may not pass yet. */
export function testSuite(suite: Suite, cases: Case[], expectedFailures: Record<string, string>): void {
  const exclusions: Record<string, string> = EXCLUSIONS[suite];

  describe(`${suite} conformance`, () => {
    const results = new Map<string, Result>();
    let weir: Weir;
    beforeAll(async () => {
      // The cases of queries say what time it is.
      weir = await startWeir({ env: { WEIR_TEST_CLOCK: suite === "query" ? "1" : "" } });
      const service = new Service(weir.url, weir.personalKey);
      const run = { service, suite, cases, exclusions, concurrency: AT_ONCE };
      for (const result of await runSuite(run)) results.set(result.name, result);
    });
    afterAll(() => weir[Symbol.asyncDispose]());

    for (const { name } of cases) {
      const reason = expectedFailures[name];
      if (reason === undefined) {
        test(name, () => {
          const result = results.get(name)!;
          expect(result.outcome === "failed" ? describeResult(result) : "").toBe("");
        });
      } else {
        test(`${name} (fails for now: ${reason})`, () => {
          // When it passes, it is to be taken from the list.
          expect(results.get(name)!.outcome).toBe("failed");
        });
      }
    }

    test("only cases that exist are expected to fail or excluded", () => {
      const names = cases.map((testCase) => testCase.name);
      for (const listed of [...Object.keys(expectedFailures), ...Object.keys(exclusions)]) {
        expect(names).toContain(listed);
      }
      expect(new Set(names).size).toBe(names.length);
    });
  });
}
