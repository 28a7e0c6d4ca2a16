import CASES from "./cases/query.json";
import EXPECTED_FAILURES from "./expected-failures.query.json";
import { testSuite } from "./testSuite.ts";

testSuite("query", CASES, EXPECTED_FAILURES);
