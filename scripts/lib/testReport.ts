/** The JUnit file of a run of `bun test`. */
export interface TestReport {
  passed: number;
  failed: number;
  skipped: number;
  /** Test files that ran, by path as Bun writes it. */
  files: Set<string>;
}

/** Reads Bun's JUnit text; a text without the totals is an error, never "no tests". */
export function readTestReport(junit: string): TestReport {
  const totals = junit.match(/<testsuites [^>]*>/)?.[0];
  if (totals === undefined) throw new Error("the test report has no totals");
  const total = (name: string): number => {
    const value = totals.match(new RegExp(` ${name}="(\\d+)"`))?.[1];
    if (value === undefined) throw new Error(`the test report does not say "${name}"`);
    return Number(value);
  };
  const [tests, failed, skipped] = [total("tests"), total("failures"), total("skipped")];
  const files = new Set([...junit.matchAll(/<testsuite [^>]*\bfile="([^"]*)"/g)].map((match) => match[1]!));
  return { passed: tests - failed - skipped, failed, skipped, files };
}
