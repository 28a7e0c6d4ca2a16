import CASES from "./cases/query.json";
import { testSuite } from "./testSuite.ts";

testSuite("query", CASES);
