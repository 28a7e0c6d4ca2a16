import CASES from "./cases/capture.json";
import { testSuite } from "./testSuite.ts";

testSuite("capture", CASES);
