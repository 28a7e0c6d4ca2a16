import type { AcceptedEvent, JsonObject } from "../../../src/types/mod.ts";
import { compareSaid, isHistorical, type Said } from "../model.ts";
import { Violation } from "../observer.ts";
import type { Run } from "./run.ts";

const FAULTS = ["broker clock set back", "broker put back", "stream made anew"] as const;

/**
 * Within a request: what its ids said before a merge of theirs stands below it, what they say later above it (protocol
 * rule 6). Not looked at where the broker has lost frames, or its clock went back.
 */
export function checkTurns(run: Run): void {
  if (FAULTS.some((fault) => run.universe.faults.of(fault) > 0)) return;
  const byUuid = Map.groupBy(run.said, ({ event }) => event.uuid);
  const corrupt = run.universe.broker.accepted.filter((frame) => frame.isCorrupt);
  const unread = new Set(corrupt.flatMap(({ events }) => events.map(({ uuid }) => uuid)));
  const acceptedOf = ({ uuid }: AcceptedEvent) => (byUuid.get(uuid) ?? []).filter(({ source }) => source >= 2);
  for (const { lane, events, isCorrupt } of run.clients.flatMap(({ requests }) => requests)) {
    if (isCorrupt || (lane !== "live" && lane !== "overflow")) continue;
    for (const [i, event] of events.entries()) {
      const merge = byUuid.get(event.uuid)?.find(({ source }) => source === 0);
      if (merge === undefined || isHistorical(merge.event)) continue;
      const isOwn = (other: AcceptedEvent) => idsOf(merge).includes(other.distinctId) && !isPersonless(other);
      for (const before of events.slice(0, i).filter(isOwn)) {
        // Its first try may be in a frame that cannot be read, and only a later one is said.
        if (unread.has(before.uuid)) continue;
        if (acceptedOf(before).some((said) => compareSaid(said, merge) < 0)) continue;
        throw new Violation(`${before.uuid} was sent before the merge of ${event.uuid} and stands above it`);
      }
      for (const later of events.slice(i + 1).filter(isOwn)) {
        if (acceptedOf(later).every((said) => compareSaid(said, merge) > 0)) continue;
        throw new Violation(`${later.uuid} was sent after the merge of ${event.uuid} and stands below it`);
      }
    }
  }
}

function idsOf({ event }: Said): string[] {
  const { source, target } = JSON.parse(event.properties) as JsonObject;
  return [String(source), String(target)];
}

function isPersonless({ properties }: AcceptedEvent): boolean {
  return (JSON.parse(properties) as JsonObject).$process_person_profile === false;
}
