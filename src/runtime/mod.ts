export type { Actor, Delivered, Effects, StoredRow } from "./actor.ts";
export { shareOf, Worker, type WorkerParts } from "./worker.ts";
