import { setDefaultTimeout } from "bun:test";
import CASES from "./cases/management.json";
import EXPECTED_FAILURES from "./expected-failures.management.json";
import { testSuite } from "./testSuite.ts";

// The whole suite runs in one hook.
setDefaultTimeout(300_000);

testSuite("management", CASES, EXPECTED_FAILURES);
