import { describeTwice } from "./twice.ts";

describeTwice({ rows: 40_000, kills: 8, pauseMs: [2_000, 8_000], withinMs: 300_000 });
