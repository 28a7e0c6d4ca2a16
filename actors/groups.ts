import { membersOf, withMembers } from "../src/json/mod.ts";
import { groupsOf, hasLongKey, type IdentifiedGroup, identifiedGroup } from "../src/persons/mod.ts";
import type { DropCause, LogRow } from "../src/types/mod.ts";
import type { Actor, ActorWarning, Delivered, Known } from "./contract.ts";

/**
 * Groups (docs/persons.md#groups): a type gets its index on first sight, `$groups` become `$group_0…4` of the event, and
 * `$groupidentify` writes down the properties of a group. Only that makes a group.
 */
export const groupsActor: Actor = {
  name: "groups",

  needs(batch) {
    const first = new Map<number, Map<string, Delivered>>();
    for (const at of batch) {
      const types = typesOf(at);
      if (types.length === 0) continue;
      const known = first.getOrInsertComputed(at.event.teamId, () => new Map());
      for (const type of types) {
        const before = known.get(type);
        if (before === undefined || compareAcceptance(at, before) < 0) known.set(type, at);
      }
    }
    return { groupTypes: new Map([...first].map(([teamId, types]) => [teamId, inOrder(types)])) };
  },

  step(batch, known) {
    const pass: Delivered[] = [];
    const causes = new Map<Delivered, DropCause>();
    const log: LogRow[] = [];
    const warnings: ActorWarning[] = [];
    for (const at of batch) {
      // Every type of the batch was asked for.
      if (known.groupTypes(at.event.teamId).size === 0) {
        pass.push(at);
        continue;
      }
      const group = identifiedGroup(at.event);
      if (group !== null && hasLongKey(group)) {
        const cause = "group_key_too_long";
        warnings.push({ at, type: cause, details: { $group_type: group.type } });
        causes.set(at, cause);
        continue;
      }
      for (const type of typesOf(at)) {
        // A project has five; a sixth gets no index.
        if (known.groupTypes(at.event.teamId).has(type)) continue;
        warnings.push({ at, type: "too_many_group_types", details: { event: at.event.event, $group_type: type } });
      }
      if (group !== null) describe(at, group, known, log);
      pass.push(withGroups(at, known));
    }
    return { pass, causes, log, warnings };
  },
};

/** The types of groups that an event is about. */
function typesOf({ event }: Delivered): string[] {
  const types = [...groupsOf(event).keys()];
  const identified = identifiedGroup(event);
  if (identified !== null) types.push(identified.type);
  return types;
}

/** In the order of acceptance: a batch holds several partitions one after the other. */
function inOrder(types: ReadonlyMap<string, Delivered>): string[] {
  return [...types].sort(([, a], [, b]) => compareAcceptance(a, b)).map(([type]) => type);
}

function compareAcceptance(a: Delivered, b: Delivered): number {
  return a.storedAtMs - b.storedAtMs || a.sequence - b.sequence || a.index - b.index;
}

function describe(
  { event, version, storedAtMs }: Delivered,
  group: IdentifiedGroup,
  known: Known,
  log: LogRow[],
): void {
  const index = known.groupTypes(event.teamId).get(group.type);
  if (index === undefined) return;
  const { teamId } = event;
  const subject = { type: "group", index, key: group.key } as const;
  log.push({ kind: "seen", teamId, subject, atMs: Math.min(event.timestampMs, storedAtMs), version });
  for (const [key, value] of membersOf(group.set)) {
    log.push({ kind: "property", teamId, subject, op: "set", key, value, version });
  }
}

/** The event with `$group_<index>` of each of its groups; what the client wrote itself stays. */
function withGroups(at: Delivered, known: Known): Delivered {
  const groups = groupsOf(at.event);
  if (groups.size === 0) return at;
  const types = known.groupTypes(at.event.teamId);
  const given = membersOf(at.event.properties);
  const added = new Map<string, string>();
  for (const [type, key] of groups) {
    const index = types.get(type);
    if (index !== undefined && !given.has(`$group_${index}`)) added.set(`$group_${index}`, JSON.stringify(key));
  }
  if (added.size === 0) return at;
  return { ...at, event: { ...at.event, properties: withMembers(at.event.properties, added) } };
}
