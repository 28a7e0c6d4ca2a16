export { CAREFUL_FROM_ATTEMPTS } from "./ownedPartition.ts";
export { shareOf } from "./ownership.ts";
export { Fenced, Worker } from "./worker.ts";
export { realWorld, type World } from "./world.ts";
