import { setDefaultTimeout } from "bun:test";
import CASES from "./cases/capture.json";
import EXPECTED_FAILURES from "./expected-failures.json";
import { testSuite } from "./testSuite.ts";

// The whole suite runs in one hook.
setDefaultTimeout(300_000);

testSuite("capture", CASES, EXPECTED_FAILURES);
