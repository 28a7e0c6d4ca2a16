export * from "./definitions.ts";
export * from "./errors.ts";
export * from "./event.ts";
export * from "./json.ts";
export * from "./log.ts";
export * from "./rawEvent.ts";
export * from "./testClock.ts";
export * from "./uuid.ts";
