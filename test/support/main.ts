import { builtMain } from "../../src/build.ts";

/** The script that scripts/weir runs for every role. */
export const MAIN = await builtMain();
