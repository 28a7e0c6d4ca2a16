import type { FirstRow, IdentityNode, LogRow, Version } from "../../../src/types/mod.ts";

/** What was said, in the words of an API: the tests make rows of it, the model replays it. */
export type Saying =
  | { at: Version; id: string; do: "set" | "once"; key: string; value: string }
  | { at: Version; id: string; do: "unset"; key: string }
  /** Sets each, and says it once under the name `$initial_` and the key. */
  | { at: Version; id: string; do: "first"; values: Record<string, string> }
  /** The same without setting. */
  | { at: Version; id: string; do: "earlier"; values: Record<string, string> }
  | { at: Version; id: string; do: "see"; atMs: number }
  | { at: Version; id: string; do: "identify" }
  /** The person of `id` goes into the person of `into`. */
  | { at: Version; id: string; do: "merge"; into: string };

export interface ModelPerson {
  root: string;
  ids: string[];
  createdAtMs: number | null;
  isIdentified: boolean;
  properties: Record<string, string>;
}

/**
 * Replays everything in the order of versions. Of one id and key only the oldest and the newest once are heard: that is
 * the promise, so that it does not depend on what was reduced when.
 */
export function replay(sayings: readonly Saying[]): ModelPerson[] {
  const persons = new Map<string, ModelPerson>();
  const firstSeen = new Map<string, Version>();
  const createdOf = new Map<string, number>();
  const personOf = (id: string): ModelPerson => {
    for (const person of persons.values()) if (person.ids.includes(id)) return person;
    const made = { root: id, ids: [id], createdAtMs: null, isIdentified: false, properties: {} };
    persons.set(id, made);
    return made;
  };
  const order = sayings.flatMap(inSingleWords).sort((a, b) => compare(a.at, b.at) || rank(a) - rank(b));
  for (const saying of order) {
    const person = personOf(saying.id);
    if (saying.do === "set") person.properties[saying.key] = saying.value;
    if (saying.do === "once" && isHeard(saying, order) && !Object.hasOwn(person.properties, saying.key)) {
      person.properties[saying.key] = saying.value;
    }
    if (saying.do === "unset") delete person.properties[saying.key];
    if (saying.do === "see" && !firstSeen.has(saying.id)) {
      firstSeen.set(saying.id, saying.at);
      createdOf.set(saying.id, saying.atMs);
    }
    if (saying.do === "identify") person.isIdentified = true;
    if (saying.do === "merge") {
      const target = personOf(saying.into);
      if (target === person) continue;
      for (const [key, value] of Object.entries(person.properties)) {
        if (!Object.hasOwn(target.properties, key)) target.properties[key] = value;
      }
      target.ids.push(...person.ids);
      target.isIdentified ||= person.isIdentified;
      persons.delete(person.root);
    }
  }
  for (const person of persons.values()) {
    const times = person.ids.flatMap((id) => (createdOf.has(id) ? [createdOf.get(id)!] : []));
    person.createdAtMs = times.length === 0 ? null : Math.min(...times);
  }
  return [...persons.values()];
}

function inSingleWords(saying: Saying): Saying[] {
  if (saying.do !== "first" && saying.do !== "earlier") return [saying];
  const { at, id, values } = saying;
  return Object.entries(values).flatMap(([key, value]): Saying[] => {
    const once: Saying = { at, id, do: "once", key: `$initial_${key}`, value };
    return saying.do === "earlier" ? [once] : [{ at, id, do: "set", key, value }, once];
  });
}

function isHeard(once: Saying, all: readonly Saying[]): boolean {
  if (once.do !== "once") return false;
  const others = all.filter((other) => other.do === "once" && other.id === once.id && other.key === once.key);
  return once === others[0] || once === others.at(-1);
}

function compare(a: Version, b: Version): number {
  return a.tMs !== b.tMs ? a.tMs - b.tMs : a.source !== b.source ? a.source - b.source : a.ordinal - b.ordinal;
}

/** Within one event: a merge comes before what its event says; set before once before unset. */
function rank(saying: Saying): number {
  return ["merge", "identify", "see", "first", "earlier", "set", "once", "unset"].indexOf(saying.do);
}

/** The rows that the same sayings leave in the log; `personIdOf` gives an id its person. */
export function rowsOf(sayings: readonly Saying[], teamId: number, personIdOf: (id: string) => string): LogRow[] {
  const nodes = new Map<string, IdentityNode>();
  const nodeOf = (id: string): IdentityNode => {
    const personId = personIdOf(id);
    const known = nodes.get(id);
    if (known !== undefined) return known;
    const node = { teamId, distinctId: id, personId, survivorId: personId, isIdentified: false, moves: [] };
    nodes.set(id, node);
    return node;
  };
  const rows: LogRow[] = [];
  for (const saying of [...sayings].sort((a, b) => compare(a.at, b.at) || rank(a) - rank(b))) {
    const { at: version, id } = saying;
    const subject: FirstRow["subject"] = { type: "person", distinctId: id, personId: personIdOf(id) };
    const said = { teamId, version, subject };
    if (saying.do === "set" || saying.do === "once") {
      rows.push({ kind: "property", ...said, op: saying.do, key: saying.key, value: saying.value });
    } else if (saying.do === "unset") rows.push({ kind: "property", ...said, op: "unset", key: saying.key, value: "" });
    else if (saying.do === "first" || saying.do === "earlier") {
      const members = Object.entries(saying.values).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
      rows.push({ kind: saying.do, ...said, values: `{${members.join(",")}}` });
    } else if (saying.do === "see") rows.push({ kind: "seen", ...said, atMs: saying.atMs });
    else {
      const changed: IdentityNode[] = [];
      if (saying.do === "identify") {
        nodeOf(id).isIdentified = true;
        changed.push(nodeOf(id));
      } else if (saying.do === "merge") {
        const [source, target] = [nodeOf(id).survivorId, nodeOf(saying.into).survivorId];
        if (source === target) continue;
        changed.push(nodeOf(saying.into));
        for (const node of nodes.values()) {
          if (node.survivorId !== source) continue;
          node.survivorId = target;
          node.moves = [...node.moves, { into: target, tMs: version.tMs, ordinal: version.ordinal }];
          changed.push(node);
        }
      }
      for (const node of new Set(changed)) rows.push({ kind: "identity", version, ...structuredClone(node) });
    }
  }
  return rows;
}
