import type { Catalog, StoredDeadLetter } from "../lake/mod.ts";
import type { Publisher } from "../stream/mod.ts";
import { type AcceptedEvent, TerminalError } from "../types/mod.ts";

/**
 * Sends a dead letter in again, on the lane that it came from. The event keeps its uuid, so that it is not stored twice. Throws
 * TerminalError `not_redrivable` for a frame that could not be read, RetryableError when the event cannot be accepted now.
 */
export async function redrive(
  parts: { catalog: Pick<Catalog, "markRedriven">; publisher: Publisher },
  letter: StoredDeadLetter,
  nowMs: number,
): Promise<void> {
  if (letter.event === "") throw new TerminalError("not_redrivable", `${letter.id}: the event could not be read`);
  const event: AcceptedEvent = JSON.parse(letter.event);
  const { teamId, lane } = letter;
  if (lane === "identity") await parts.publisher.publishIdentity(teamId, [event]);
  else
    await parts.publisher.publish({
      teamId,
      lane,
      events: [{ ...event, mergedAtMs: 0, mergeSequence: 0 }],
      dropped: {},
    });
  await parts.catalog.markRedriven(letter.id, nowMs);
}
