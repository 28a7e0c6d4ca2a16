/** What is asked of a project of PostHog or Weir over HTTP. */
export { Api, ApiRefused } from "./client.ts";
export { bringPart, startDownload } from "./fileDownload.ts";
