import CASES from "./cases/capture.json";
import EXPECTED_FAILURES from "./expected-failures.json";
import { testSuite } from "./testSuite.ts";

testSuite("capture", CASES, EXPECTED_FAILURES);
