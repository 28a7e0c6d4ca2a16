import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startWeir, type Weir } from "../support/weir.ts";
import EXCLUSIONS from "./exclusions.json";
import { Service } from "./service.ts";
import { type Case, describeResult, type Result, runSuite, type Suite } from "./suite.ts";

const AT_ONCE = 6;

/** One test a case of a suite against a Weir of its own. */
export function testSuite(suite: Suite, cases: Case[]): void {
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
      test(name, () => {
        const result = results.get(name)!;
        expect(result.outcome === "failed" ? describeResult(result) : "").toBe("");
      });
    }

    test("only cases that exist are excluded", () => {
      const names = cases.map((testCase) => testCase.name);
      for (const listed of Object.keys(exclusions)) expect(names).toContain(listed);
      expect(new Set(names).size).toBe(names.length);
    });
  });
}
