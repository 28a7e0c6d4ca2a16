export type { CaptureDeps } from "./front/front.ts";
export { sharedBy } from "./front/shared.ts";
export { capturePlugin } from "./plugin.ts";
export { sdkPlugin } from "./sdk/mod.ts";
