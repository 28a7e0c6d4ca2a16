export { publish, type TableReport } from "./publish.ts";
