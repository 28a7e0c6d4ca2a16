/** What is asked of a project of PostHog or Weir over HTTP. */
export { Api, ApiRefused } from "./client.ts";
export { type Brought, bringPart, type Download, type DownloadWish, startDownload } from "./fileDownload.ts";
