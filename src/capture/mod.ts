export type { CaptureDeps, EventPublisher } from "./front/front.ts";
export { sharedBy } from "./front/shared.ts";
export { capturePlugin } from "./plugin.ts";
export { type SdkDeps, sdkPlugin } from "./sdk/mod.ts";
