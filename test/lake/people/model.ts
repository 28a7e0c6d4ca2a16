import { type FirstRow, type IdentityNode, type LogRow, type Version, withMove } from "../../../src/types/mod.ts";

/** What was said, in the words of an API: the tests make rows of it, the model replays it. */
export type Saying =
  | { at: Version; id: string; do: "set" | "once"; key: string; value: string }
  | { at: Version; id: string; do: "unset"; key: string }
  /** Both in one event: what was there goes, what was not there comes. */
  | { at: Version; id: string; do: "turn"; op: "set" | "once"; key: string; value: string }
  /** Sets each, and says it once under the name `$initial_` and the key. */
  | { at: Version; id: string; do: "first"; values: Record<string, string> }
  /** The same without setting. */
  | { at: Version; id: string; do: "earlier"; values: Record<string, string> }
  | { at: Version; id: string; do: "see"; atMs: number }
  | { at: Version; id: string; do: "identify" }
  /**
   * The person of `id` goes into the person of `into`. Merges are decided in the order of `n`, whatever their versions:
   * those say where they stand between values.
   */
  | { at: Version; n: number; id: string; do: "merge"; into: string };

export interface ModelPerson {
  root: string;
  ids: string[];
  createdAtMs: number | null;
  isIdentified: boolean;
  properties: Record<string, string>;
}

/**
 * Replays everything one by one in the order of versions. A merge that was decided stands where its version says: there the
 * person that has the one id goes into the person that has the other.
 */
export function replay(sayings: readonly Saying[]): ModelPerson[] {
  const decided = new People();
  const merges = new Map<Saying, [source: string, target: string]>();
  for (const saying of inTurn(sayings)) {
    const [source, target] = [decided.of(saying.id), decided.of(saying.into)];
    if (source === target) continue;
    merges.set(saying, [source.root, target.root]);
    decided.merge(source, target);
  }
  const people = new People();
  const firstSeen = new Map<string, Version>();
  const createdOf = new Map<string, number>();
  for (const saying of sayings.flatMap(inSingleWords).sort((a, b) => compare(a.at, b.at) || rank(a) - rank(b))) {
    const person = people.of(saying.id);
    const has = (key: string) => Object.hasOwn(person.properties, key);
    if (saying.do === "set") person.properties[saying.key] = saying.value;
    if (saying.do === "once" && !has(saying.key)) person.properties[saying.key] = saying.value;
    if (saying.do === "unset") delete person.properties[saying.key];
    if (saying.do === "turn") {
      if (has(saying.key)) delete person.properties[saying.key];
      else person.properties[saying.key] = saying.value;
    }
    if (saying.do === "see" && !firstSeen.has(saying.id)) {
      firstSeen.set(saying.id, saying.at);
      createdOf.set(saying.id, saying.atMs);
    }
    if (saying.do === "identify") person.isIdentified = true;
    const merge = merges.get(saying);
    if (merge !== undefined) people.merge(people.of(merge[0]), people.of(merge[1]));
  }
  for (const person of people.all) {
    // Who stays is the lane's decision.
    person.root = decided.of(person.root).root;
    const times = person.ids.flatMap((id) => (createdOf.has(id) ? [createdOf.get(id)!] : []));
    person.createdAtMs = times.length === 0 ? null : Math.min(...times);
  }
  return people.all;
}

/** Merges in the order in which they are decided. */
function inTurn(sayings: readonly Saying[]) {
  return sayings.filter((saying) => saying.do === "merge").sort((a, b) => a.n - b.n);
}

class People {
  all: ModelPerson[] = [];

  of(id: string): ModelPerson {
    for (const person of this.all) if (person.ids.includes(id)) return person;
    const made = { root: id, ids: [id], createdAtMs: null, isIdentified: false, properties: {} };
    this.all.push(made);
    return made;
  }

  /** Of two values the target's stays. */
  merge(source: ModelPerson, target: ModelPerson): void {
    target.properties = { ...source.properties, ...target.properties };
    target.ids.push(...source.ids);
    target.isIdentified ||= source.isIdentified;
    this.all = this.all.filter((person) => person !== source);
  }
}

function inSingleWords(saying: Saying): Saying[] {
  if (saying.do !== "first" && saying.do !== "earlier") return [saying];
  const { at, id, values } = saying;
  return Object.entries(values).flatMap(([key, value]): Saying[] => {
    const once: Saying = { at, id, do: "once", key: `$initial_${key}`, value };
    return saying.do === "earlier" ? [once] : [{ at, id, do: "set", key, value }, once];
  });
}

function compare(a: Version, b: Version): number {
  return a.tMs !== b.tMs ? a.tMs - b.tMs : a.source !== b.source ? a.source - b.source : a.ordinal - b.ordinal;
}

/** Within one event: a merge comes before what its event says; set before once before unset. */
function rank(saying: Saying): number {
  return ["merge", "identify", "see", "first", "earlier", "set", "once", "unset", "turn"].indexOf(saying.do);
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
  for (const saying of sayings) {
    const { at: version, id } = saying;
    const subject: FirstRow["subject"] = { type: "person", distinctId: id, personId: personIdOf(id) };
    const said = { teamId, version, subject };
    const put = (op: "set" | "once" | "unset", key: string, value: string) =>
      rows.push({ kind: "property", ...said, op, key, value });
    if (saying.do === "set" || saying.do === "once") put(saying.do, saying.key, saying.value);
    else if (saying.do === "unset") put("unset", saying.key, "");
    else if (saying.do === "turn") {
      put(saying.op, saying.key, saying.value);
      put("unset", saying.key, "");
    } else if (saying.do === "first" || saying.do === "earlier") {
      const members = Object.entries(saying.values).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
      rows.push({ kind: saying.do, ...said, values: `{${members.join(",")}}` });
    } else if (saying.do === "see") rows.push({ kind: "seen", ...said, atMs: saying.atMs });
  }
  const decided = sayings.filter((saying) => saying.do === "merge" || saying.do === "identify");
  decided.sort((a, b) => turnOf(a) - turnOf(b));
  for (const [turn, saying] of decided.entries()) {
    const changed = new Set([nodeOf(saying.id)]);
    if (saying.do === "identify") nodeOf(saying.id).isIdentified = true;
    else {
      const [source, target] = [nodeOf(saying.id).survivorId, nodeOf(saying.into).survivorId];
      if (source === target) continue;
      changed.add(nodeOf(saying.into));
      for (const node of nodes.values()) {
        if (node.survivorId !== source) continue;
        node.survivorId = target;
        node.moves = withMove(node.moves, { into: target, tMs: saying.at.tMs, ordinal: saying.at.ordinal });
        changed.add(node);
      }
    }
    const version = { tMs: turn, source: 0, ordinal: 0 };
    for (const node of changed) rows.push({ kind: "identity", version, ...structuredClone(node) });
  }
  return rows;
}

const turnOf = (saying: Saying): number => (saying.do === "merge" ? saying.n : Number.POSITIVE_INFINITY);
