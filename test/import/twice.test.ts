import { describeTwice } from "./twice.ts";

describeTwice({ rows: 40_000, kills: 8, withinMs: 300_000 });
