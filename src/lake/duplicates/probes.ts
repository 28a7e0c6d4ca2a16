import { type AcceptedEvent, dayOf, EventFlag } from "../../types/mod.ts";
import { duplicateKey, splitKey } from "./keyFile.ts";
import { KeyTable } from "./keyTable.ts";

/** The fields of an event that the check needs. */
export type CheckedEvent = Pick<AcceptedEvent, "teamId" | "uuid" | "event" | "distinctId" | "timestampMs" | "flags">;

/** A key to look up: events whose time the server made are looked for on the neighbouring days too. */
export interface Probe {
  index: number;
  day: number;
  low: number;
  high: number;
}

/** The keys to look up; events whose uuid the server made have none. */
export function makeProbes(events: readonly CheckedEvent[]): Probe[] {
  const probes: Probe[] = [];
  events.forEach(({ teamId, uuid, event, distinctId, timestampMs, flags }, index) => {
    if (flags & EventFlag.ServerUuid) return;
    const own = dayOf(timestampMs);
    // The event's own day first: `markCopiesWithin` registers that one.
    for (const day of flags & EventFlag.ServerTime ? [own, own - 1, own + 1] : [own]) {
      probes.push({ index, day, ...splitKey(duplicateKey(teamId, day, event, distinctId, uuid)) });
    }
  });
  return probes;
}

/** The keys by project and day. */
export function groupProbes(events: readonly CheckedEvent[], probes: readonly Probe[]) {
  type Group = { teamId: number; day: number; probes: Probe[] };
  const byTeam = new Map<number, Map<number, Group>>();
  for (const probe of probes) {
    const { teamId } = events[probe.index]!;
    const days = byTeam.get(teamId) ?? new Map<number, Group>();
    byTeam.set(teamId, days);
    const group = days.get(probe.day);
    if (group === undefined) days.set(probe.day, { teamId, day: probe.day, probes: [probe] });
    else group.probes.push(probe);
  }
  return [...byTeam.values()].flatMap((days) => [...days.values()]);
}

/** Marks copies of an earlier event of the same array that is itself kept. */
export function markCopiesWithin(events: readonly CheckedEvent[], probes: readonly Probe[], marks: Uint8Array): void {
  const earlier = new KeyTable(probes.length * 2);
  for (let i = 0; i < probes.length; ) {
    const own = probes[i]!;
    for (; i < probes.length && probes[i]!.index === own.index; i++) {
      const { low, high, day } = probes[i]!;
      for (let slot = earlier.first(low, high); slot !== -1; slot = earlier.next(slot, low, high)) {
        if (isCopy(events[own.index]!, events[earlier.ownerAt(slot) - 1]!, day)) marks[own.index] = 1;
      }
    }
    if (marks[own.index] === 0) earlier.add(own.low, own.high, own.index + 1);
  }
}

function isCopy(a: CheckedEvent, b: CheckedEvent, dayOfB: number): boolean {
  return (
    a.uuid === b.uuid &&
    a.teamId === b.teamId &&
    a.event === b.event &&
    a.distinctId === b.distinctId &&
    dayOf(b.timestampMs) === dayOfB
  );
}
