import type { Weir } from "../support/weir.ts";
import type { PacedResult } from "./pacedLoad.ts";

/** An even load from a process of its own, which ends with this one. */
export async function pace(weir: Weir, eventsPerSecond: number, seconds: number): Promise<PacedResult> {
  const script = new URL("./pacedLoad.ts", import.meta.url).pathname;
  const args = [weir.url, weir.projectKey, eventsPerSecond, seconds].map(String);
  const child = Bun.spawn([process.execPath, script, ...args], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the load failed");
  return JSON.parse(output) as PacedResult;
}
