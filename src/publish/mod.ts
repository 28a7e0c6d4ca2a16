export { type PublishOptions, publish, type TableReport } from "./publish.ts";
export type { Target } from "./table.ts";
