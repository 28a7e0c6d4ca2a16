import { describeTwice } from "../import/twice.ts";

/** Five million take most of an hour; a smaller number tries the test itself. */
const ROWS = Number(process.env.WEIR_TEST_IMPORT_ROWS ?? 5_000_000);

describeTwice({ rows: ROWS, kills: 10, withinMs: 3_600_000 });
