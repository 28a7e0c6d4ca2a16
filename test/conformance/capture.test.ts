import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startWeir, type Weir } from "../support/weir.ts";
import CASES from "./cases/capture.json";
import EXCLUSIONS from "./exclusions.json";
import EXPECTED_FAILURES from "./expected-failures.json";
import { Service } from "./service.ts";
import { describeResult, type Result, runSuite } from "./suite.ts";

// The whole suite runs in one hook.
setDefaultTimeout(300_000);

const AT_ONCE = 6;

describe("capture conformance", () => {
  const results = new Map<string, Result>();
  let weir: Weir;
  beforeAll(async () => {
    weir = await startWeir();
    const service = new Service(weir.url, weir.personalKey);
    const run = { service, suite: "capture" as const, cases: CASES, exclusions: EXCLUSIONS.capture };
    for (const result of await runSuite({ ...run, concurrency: AT_ONCE })) results.set(result.name, result);
  });
  afterAll(() => weir[Symbol.asyncDispose]());

  for (const { name } of CASES) {
    const reason = (EXPECTED_FAILURES as Record<string, string>)[name];
    if (reason === undefined) {
      test(name, () => {
        const result = results.get(name)!;
        expect(result.outcome === "failed" ? describeResult(result) : "").toBe("");
      });
    } else {
      test(`${name} (fails for now: ${reason})`, () => {
        // When it passes, it is to be taken from expected-failures.json.
        expect(results.get(name)!.outcome).toBe("failed");
      });
    }
  }

  test("only cases that exist are expected to fail or excluded", () => {
    const names = CASES.map((testCase) => testCase.name);
    for (const listed of [...Object.keys(EXPECTED_FAILURES), ...Object.keys(EXCLUSIONS.capture)]) {
      expect(names).toContain(listed);
    }
    expect(new Set(names).size).toBe(names.length);
  });
});
