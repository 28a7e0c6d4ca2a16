import { Violation } from "../observer.ts";
import { NOTIFIES } from "../probeActor.ts";
import type { Run } from "./run.ts";
import { same } from "./same.ts";

const DAY_MS = 86_400_000;

export function checkUsage(run: Run): void {
  const found = new Map<string, number>();
  const count = (teamId: number, day: number, kind: string) => {
    const key = `${teamId}/${day}/${kind}`;
    found.set(key, (found.get(key) ?? 0) + 1);
  };
  for (const { place } of run.rows) {
    const { event, lane, storedAtMs } = run.accepted.get(place)!;
    const day = Math.floor(storedAtMs / DAY_MS);
    count(event.teamId, day, lane === "history" ? "historical" : "billable");
    if (lane === "history" && storedAtMs - event.timestampMs < 2 * DAY_MS)
      count(event.teamId, day, "historical_recent");
  }
  type Usage = { team_id: number; day: number; kind: string; events: number };
  const counted = run.universe.store
    .rows<Usage>("select team_id, day, kind, events from usage_counts")
    .filter(({ team_id: teamId }) => run.isKept({ teamId }));
  same(
    "usage",
    Object.fromEntries(found),
    Object.fromEntries(counted.map((u) => [`${u.team_id}/${u.day}/${u.kind}`, u.events])),
  );
}

/** The probe has counted each stored event of an id once. */
export function checkStates(run: Run): void {
  const found: Record<string, number> = {};
  for (const { row } of run.rows) {
    const key = `${row.teamId}/${row.distinctId}`;
    found[key] = (found[key] ?? 0) + 1;
  }
  type State = { team_id: number; distinct_id: string; state: string };
  const states = run.universe.store
    .rows<State>("select team_id, distinct_id, state from actor_states")
    .filter(({ team_id: teamId }) => run.isKept({ teamId }));
  same("states", found, Object.fromEntries(states.map((s) => [`${s.team_id}/${s.distinct_id}`, Number(s.state)])));
}

/** Each message has arrived, none was invented, and first arrivals are in the order of their sources. */
export function checkMessages(run: Run): void {
  const expected = run.rows.filter(({ row }) => row.event === NOTIFIES).map(({ row }) => row.uuid);
  const byUuid = new Map<string, string>();
  const last = new Map<string, number>();
  for (const { messageId, body, partition } of run.receiver.arrived) {
    const { uuid } = JSON.parse(body) as { uuid: string };
    if (run.deletedUuids.has(uuid)) continue;
    const known = byUuid.get(uuid);
    if (known !== undefined) {
      if (known !== messageId) throw new Violation(`two messages for ${uuid}: ${known} and ${messageId}`);
      continue;
    }
    byUuid.set(uuid, messageId);
    const stored = run.byUuid.get(uuid);
    if (stored === undefined) throw new Violation(`a message for ${uuid}, which is not stored`);
    const line = `${stored.generation}/${stored.row.lane}/${partition}`;
    if ((last.get(line) ?? 0) >= stored.row.ordinal) throw new Violation(`message ${messageId} comes out of order`);
    last.set(line, stored.row.ordinal);
  }
  for (const uuid of expected) if (!byUuid.has(uuid)) throw new Violation(`the message for ${uuid} never came`);
}
