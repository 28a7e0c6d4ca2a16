import { setDefaultTimeout } from "bun:test";
import CASES from "./cases/query.json";
import EXPECTED_FAILURES from "./expected-failures.query.json";
import { testSuite } from "./testSuite.ts";

// The whole suite runs in one hook.
setDefaultTimeout(300_000);

testSuite("query", CASES, EXPECTED_FAILURES);
