export type { FunnelProgram, Program } from "./program.ts";
