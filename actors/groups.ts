import { cleanText, distinctIdText, membersOf, parseExact } from "../src/properties/mod.ts";
import type { Actor, ActorWarning, Delivered, Known } from "../src/runtime/actor.ts";
import { EventFlag, type GroupIndex, type Json, type LogRow } from "../src/types/mod.ts";

const GROUP_KEY_MAX_CHARACTERS = 400;

/**
 * Groups (reference: capture, 4): a type gets its index on first sight, `$groups` become `$group_0…4` of the event, and
 * `$groupidentify` writes down what is said of a group. Only that makes a group.
 */
export const groupsActor: Actor = {
  name: "groups",

  needs(batch) {
    const groupTypes = new Map<number, string[]>();
    for (const at of batch) {
      const types = [...groupsOf(at).keys()];
      const identified = identifiedGroup(at);
      if (identified !== null) types.push(identified.type);
      if (types.length === 0) continue;
      const known = groupTypes.get(at.event.teamId) ?? [];
      groupTypes.set(at.event.teamId, known);
      known.push(...types.filter((type) => !known.includes(type)));
    }
    return { groupTypes };
  },

  step(batch, known) {
    const pass: Delivered[] = [];
    const log: LogRow[] = [];
    const warnings: ActorWarning[] = [];
    for (const at of batch) {
      // Every type that stands in the batch was asked for.
      if (known.groupTypes(at.event.teamId).size === 0) {
        pass.push(at);
        continue;
      }
      const group = identifiedGroup(at);
      if (group !== null && [...group.key].length > GROUP_KEY_MAX_CHARACTERS) {
        const cause = "group_key_too_long";
        warnings.push({ at, type: cause, details: { $group_type: group.type }, cause });
        continue;
      }
      if (group !== null) describe(at, group, known, log);
      pass.push(withGroups(at, known));
    }
    return { pass, log, warnings };
  },
};

interface IdentifiedGroup {
  type: string;
  key: string;
  /** JSON text of `$group_set`; "" when there is none. */
  set: string;
}

/** The group that a `$groupidentify` is about; null for any other event, and when type or key are missing. */
function identifiedGroup({ event }: Delivered): IdentifiedGroup | null {
  if (event.event !== "$groupidentify" || event.flags & EventFlag.Personless) return null;
  const members = membersOf(event.properties);
  const type = textOf(members.get("$group_type"));
  const key = textOf(members.get("$group_key"));
  return type === null || key === null ? null : { type, key, set: members.get("$group_set") ?? "" };
}

/** `$groups` of an event: keys by type. */
function groupsOf({ event }: Delivered): Map<string, string> {
  const groups = new Map<string, string>();
  if (event.flags & EventFlag.Personless || !event.properties.includes('$groups"')) return groups;
  for (const [type, value] of membersOf(membersOf(event.properties).get("$groups") ?? "")) {
    const key = textOf(value);
    if (type !== "" && key !== null) groups.set(type, key);
  }
  return groups;
}

/** The text of a truthy JSON value; what is no string stands for its JSON. */
function textOf(json: string | undefined): string | null {
  const value: Json = json === undefined ? null : parseExact(json);
  if (!value) return null;
  return typeof value === "string" ? cleanText(value) : distinctIdText(value);
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
  const groups = groupsOf(at);
  if (groups.size === 0) return at;
  const types = known.groupTypes(at.event.teamId);
  const given = membersOf(at.event.properties);
  const added = new Map<GroupIndex, string>();
  for (const [type, key] of groups) {
    const index = types.get(type);
    if (index !== undefined && !given.has(`$group_${index}`)) added.set(index, key);
  }
  if (added.size === 0) return at;
  const text = at.event.properties.trimEnd().slice(0, -1);
  const members = [...added].map(([index, key]) => `"$group_${index}":${JSON.stringify(key)}`);
  return { ...at, event: { ...at.event, properties: `${text},${members.join(",")}}` } };
}
