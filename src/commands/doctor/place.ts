import { rm } from "node:fs/promises";
import { draftPath, type SegmentFile, type SegmentStore } from "../../lake/mod.ts";
import { bad, type Finding, odd, ok } from "./finding.ts";

const SLOW_MS = 1_000;

/** A place of segments beyond this machine: a small file is stored, read and removed. Throws as the store does. */
export async function checkPlace(url: string, storage: SegmentStore): Promise<Finding> {
  const file: SegmentFile = { id: `doctor-${crypto.randomUUID()}`, part: "keys" };
  const draft = draftPath(storage.workDirectory, file);
  const beganAtMs = performance.now();
  try {
    await Bun.write(draft, file.id);
    await storage.publish([file]);
    const read = Buffer.from(await storage.read(storage.locate(file))).toString();
    if (read !== file.id) return bad("store", `${url} gives other bytes than were stored.`, "Look at its server.");
  } finally {
    await rm(draft, { force: true });
    await storage.remove(file.id);
  }
  const tookMs = Math.round(performance.now() - beganAtMs);
  const answer = `${url} stores, gives and removes a file in ${tookMs} ms.`;
  const advice = "Each flush waits for it: look at the way to it.";
  return tookMs > SLOW_MS ? odd("store", answer, advice) : ok("store", answer);
}
