import type { Catalog } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { acceptedSoFar } from "./accepted.ts";

/**
 * Deletes the events of an import as they are now: accepted until then, stored or still queued. Throws RetryableError
 * `streams_unavailable` before the first start.
 */
export async function eraseImport(
  parts: { catalog: Pick<Catalog, "currentGeneration" | "eraseImport">; bus: Pick<Bus, "lastSequenceOf"> },
  o: { teamId: number; importId: string; requestedAtMs: number },
): Promise<void> {
  await parts.catalog.eraseImport({ ...o, accepted: await acceptedSoFar(parts) });
}
