export { type IngestionStatus, Pressure } from "./pressure.ts";
export { type Batch, Sender } from "./sender.ts";
export { paused, type TellWait, type WeirAddress, WeirClient } from "./weir.ts";
