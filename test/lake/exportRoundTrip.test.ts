import { describeExportRoundTrip } from "./exportRoundTrip.ts";

describeExportRoundTrip({ events: 12_000, flushEvents: 1_500, rowsAtOnce: 3_000 });
