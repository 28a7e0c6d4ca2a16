import { cleanJson } from "../json/mod.ts";
import type { WaitingMessage } from "../lake/mod.ts";
import { distinctIdText } from "../persons/mod.ts";
import type { Publisher } from "../stream/mod.ts";
import { type AcceptedEvent, EventFlag, isJsonObject, type JsonObject, TerminalError, uuidV5 } from "../types/mod.ts";

const TIMEOUT_MS = 10_000;
/** Uuids of events that actors make: the same message gives the same one, so that a copy is a duplicate. */
const NAMESPACE = Buffer.from("5f0c5b52b6a14f0e9b3a8d2f6c1e7a90", "hex");

/**
 * Brings one message of an actor to where it goes. `events`: back into the live lane of its project; its uuid follows from
 * the message, so that one that comes twice is stored once. Anything else is an address that gets it as JSON, with the
 * message's id as `Idempotency-Key`. Throws when it did not arrive.
 */
export async function deliver(message: WaitingMessage, publisher: () => Publisher | null): Promise<void> {
  if (message.target === "events") return deliverEvent(message, publisher());
  const response = await fetch(message.target, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": message.messageId },
    body: message.body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new TerminalError("message_refused", `${message.target} answered ${response.status}`);
}

async function deliverEvent(message: WaitingMessage, publisher: Publisher | null): Promise<void> {
  if (publisher === null) throw new TerminalError("streams_unavailable", "the event streams are being prepared");
  const events = [eventOf(message)];
  await publisher.publish({ teamId: message.teamId, lane: "live", events, dropped: {} });
}

/** `{event, distinct_id, properties?, timestamp?}`, as capture takes it. */
function eventOf({ messageId, teamId, body }: WaitingMessage): AcceptedEvent {
  const { event, distinct_id, properties = {}, timestamp } = JSON.parse(body) as JsonObject;
  const timestampMs = typeof timestamp === "string" ? Date.parse(timestamp) : Date.now();
  if (
    typeof event !== "string" ||
    distinct_id === undefined ||
    !isJsonObject(properties) ||
    Number.isNaN(timestampMs)
  ) {
    throw new TerminalError(
      "invalid_event",
      "an actor's event lacks a name or a distinct_id, or its time or properties are invalid",
    );
  }
  return {
    teamId,
    uuid: uuidV5(NAMESPACE, messageId),
    event,
    distinctId: distinctIdText(distinct_id),
    timestampMs,
    properties: cleanJson(JSON.stringify(properties)),
    elementsChain: "",
    flags: typeof timestamp === "string" ? 0 : EventFlag.ServerTime,
    mergedAtMs: 0,
    mergeSequence: 0,
  };
}
