export { sdkPlugin } from "./plugin.ts";
