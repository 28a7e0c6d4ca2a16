import { existsSync, writeFileSync } from "node:fs";

// Preloaded into the query processes of a door: walks of the first one have threads that end in the middle of a range.

const DYING = new URL("./dyingWalkThread.ts", import.meta.url).href;

if (!existsSync("begun")) {
  writeFileSync("begun", "");
  const Real = Worker;
  globalThis.Worker = class extends Real {
    constructor(script: string | URL, options?: WorkerOptions) {
      super(String(script).endsWith("/walkThread.ts") ? DYING : script, options);
    }
  };
}
