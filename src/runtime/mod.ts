export {
  type Actor,
  type Delivered,
  type Effects,
  type Known,
  type Message,
  type Needs,
  type StoredRow,
  stateKey,
} from "./actor.ts";
export { shareOf } from "./share.ts";
export { Fenced, Worker, type WorkerParts } from "./worker.ts";
export { realWorld, type World } from "./world.ts";
