export { sdkPlugin } from "./plugin.ts";
export type { SdkDeps } from "./routes.ts";
