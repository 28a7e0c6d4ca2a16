export { Compactor, type CompactorOptions } from "./compactor.ts";
