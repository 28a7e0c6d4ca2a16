import CASES from "./cases/management.json";
import EXPECTED_FAILURES from "./expected-failures.management.json";
import { testSuite } from "./testSuite.ts";

testSuite("management", CASES, EXPECTED_FAILURES);
