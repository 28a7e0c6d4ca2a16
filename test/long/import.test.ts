import { describeTwice } from "../import/twice.ts";

describeTwice({ rows: 5_000_000, kills: 10, pauseMs: [10_000, 60_000], withinMs: 3_600_000 });
