import type { Actor } from "../src/runtime/actor.ts";
import { eventActor } from "./event.ts";

/** The actors that a worker runs on every event, in this order. */
export const ACTORS: readonly Actor[] = [eventActor];
