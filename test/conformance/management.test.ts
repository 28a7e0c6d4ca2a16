import CASES from "./cases/management.json";
import { testSuite } from "./testSuite.ts";

testSuite("management", CASES);
