export { Compactor, type CompactorOptions, type CompactorStats } from "./compactor.ts";
