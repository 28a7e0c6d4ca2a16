import { setDefaultTimeout } from "bun:test";

// Tests start real servers; the limit only ends a hang.
setDefaultTimeout(60_000);
