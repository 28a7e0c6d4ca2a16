export type { CaptureDeps, EventPublisher } from "./front.ts";
export { CAPTURE_OPERATIONS } from "./operations.ts";
export { capturePlugin } from "./plugin.ts";
export { type SdkDeps, sdkPlugin } from "./sdk/mod.ts";
export { sharedBy } from "./shared.ts";
