import { readFileSync } from "node:fs";
import { ScanMemory } from "./memory.ts";

/** What the scanners can do; addresses are of `scanMemory`. Described in wasm/*.as, which scripts/build-wasm compiles. */
interface Scanners {
  memory: WebAssembly.Memory;
  configureOutline(
    events: number,
    properties: number,
    keyOfProperties: number,
    keyOfBatch: number,
    firstProperty: number,
    namesAt: number,
  ): void;
  outline(at: number, length: number, depthMax: number, root: number, items: number, starts: number): number;
  rootBytes(tape: number): number;
  itemBytes(tape: number): number;
  startBytes(tape: number): number;
  findMembers(at: number, end: number, table: number, notes: number): number;
  configureSplit(tableAt: number, typesAt: number, valuesAt: number, exceptionsAt: number, count: number): void;
  split(at: number, end: number, scratch: number, out: number): number;
}

const MODULE = new WebAssembly.Module(readFileSync(new URL("./wasm/json.wasm", import.meta.url)));

/** One instance serves all of a process, one call after the other. */
export const scanners = new WebAssembly.Instance(MODULE, {
  env: { isCanonical: (at: number, end: number) => isCanonical(at, end) },
}).exports as unknown as Scanners;

export const scanMemory = new ScanMemory(scanners.memory);

/** Whether JavaScript writes a number as it is written there. */
function isCanonical(at: number, end: number): boolean {
  const text = scanMemory.bytes.toString("latin1", at, end);
  return String(Number(text)) === text;
}
