export { type FrontFacts, type IngestionStatus, Pressure } from "./pressure.ts";
export { type Batch, Sender } from "./sender.ts";
export { type TellWait, type WeirAddress, WeirClient } from "./weir.ts";
