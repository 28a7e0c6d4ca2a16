import { describeExportRoundTrip } from "../lake/exportRoundTrip.ts";

describeExportRoundTrip({ events: 10_000_000, flushEvents: 50_000, rowsAtOnce: 500_000 });
