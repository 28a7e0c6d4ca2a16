import { membersOf } from "../src/json/mod.ts";
import { type IdentityRequest, type MergeRequest, type PersonImport, readIdentityRequest } from "../src/persons/mod.ts";
import { type IdentityNode, type LogRow, personIdAnew, type Version, withMove } from "../src/types/mod.ts";
import type { Actor, ActorWarning, Delivered } from "./contract.ts";

/**
 * Decides which distinct_ids are one person, from the identity lane alone: its order is the order of acceptance, so that
 * delivery changes nothing (protocol rule 21). A merge that was made stays made and flags only grow; hence a copy of a request changes nothing.
 *
 * The target's person survives. `$identify` is refused when the source is identified, `$create_alias` only when both are,
 * `$merge_dangerously` and imports never.
 */
export const identityActor: Actor = {
  name: "identity",
  lanes: ["identity"],

  needs(batch) {
    const identities = new Map<number, Set<string>>();
    for (const { at, persons } of requestsOf(batch)) {
      const ids = identities.getOrInsertComputed(at.event.teamId, () => new Set());
      for (const { personId } of persons) ids.add(personId);
    }
    return { identities };
  },

  step(batch, known) {
    const people = new Map<number, People>();
    const log: LogRow[] = [];
    const warnings: ActorWarning[] = [];
    for (const { at, request, persons } of requestsOf(batch)) {
      const { teamId } = at.event;
      const team = people.getOrInsertComputed(teamId, () => new People(teamId, known.identities));
      if (request.kind === "import") takeImport(team, request, { at, persons, log });
      else if (!team.merge(request, at, persons)) warnings.push(refusal(at, request));
    }
    const identities: IdentityNode[] = [];
    for (const team of people.values()) {
      for (const { node, version } of team.changes()) {
        identities.push(node);
        log.push({ kind: "identity", version, ...node });
      }
    }
    return { identities, log, warnings };
  },
};

/** A distinct_id and its person before any merge. */
interface Named {
  distinctId: string;
  personId: string;
}

interface Asked {
  at: Delivered;
  request: IdentityRequest;
  /** Of its distinct_ids: source and target, or all of an import. */
  persons: readonly Named[];
}

/** What the messages of a batch ask for, which is read once for `needs` and `step`. */
const read = new WeakMap<readonly Delivered[], readonly Asked[]>();

const requestsOf = (batch: readonly Delivered[]): readonly Asked[] =>
  read.getOrInsertComputed(batch, () => batch.map(asked));

function asked(at: Delivered): Asked {
  const { teamId } = at.event;
  const request = readIdentityRequest(at.event);
  const distinctIds = request.kind === "import" ? request.distinctIds : [request.source, request.target];
  // Most ids of a migration come once: remembered they would push out those that send events.
  const persons = distinctIds.map((distinctId) => ({ distinctId, personId: personIdAnew(teamId, distinctId) }));
  return { at, request, persons };
}

function refusal(at: Delivered, { source, target }: MergeRequest): ActorWarning {
  const details = { event: at.event.event, distinct_id: at.event.distinctId, sourcePersonDistinctId: source };
  const type = "cannot_merge_already_identified";
  return { at, type, details: { ...details, targetPersonDistinctId: target }, isOnce: true };
}

/** The time of a merge among values, epoch milliseconds: that of its event's rows, with history the event's own (protocol rule 19). */
function mergeTimeMs({ isHistorical }: MergeRequest, { event, storedAtMs, version }: Delivered): number {
  return isHistorical ? Math.min(event.timestampMs, storedAtMs) : version.tMs;
}

/** Outside of all times: an imported time of creation counts before any event, an unknown one after all. */
const BEFORE_ALL_MS = -8.64e15;
const AFTER_ALL_MS = 8.64e15;

function takeImport(
  team: People,
  { properties, createdAtMs }: PersonImport,
  { at, persons, log }: { at: Delivered; persons: readonly Named[]; log: LogRow[] },
): void {
  const { teamId } = at.event;
  const [first, ...others] = persons;
  if (first === undefined) return;
  for (const other of others) team.join(other, first, at.version);
  const seenMs = createdAtMs === null ? AFTER_ALL_MS : BEFORE_ALL_MS;
  for (const named of persons) {
    const subject = { type: "person", ...named } as const;
    const version = { ...at.version, tMs: seenMs };
    log.push({ kind: "seen", teamId, subject, atMs: createdAtMs ?? at.event.timestampMs, version });
  }
  const subject = { type: "person", ...first } as const;
  for (const [key, value] of membersOf(properties)) {
    log.push({ kind: "property", teamId, subject, op: "set", key, value, version: at.version });
  }
}

/** A person as far as a batch is about it. */
interface Person {
  /** Of its survivor. */
  id: string;
  nodes: IdentityNode[];
  /** Whether any of its nodes is. */
  isIdentified: boolean;
}

/** The persons of one project that a batch is about. */
class People {
  private readonly nodes = new Map<string, IdentityNode>();
  /** By survivor. */
  private readonly persons = new Map<string, Person>();
  /** Version of the last request that changed a node. */
  private readonly changedAt = new Map<IdentityNode, Version>();

  constructor(
    private readonly teamId: number,
    known: readonly IdentityNode[],
  ) {
    for (const node of known) if (node.teamId === teamId) this.add({ ...node });
  }

  /** False when it is refused. The target is identified either way, as PostHog has it. */
  merge(o: MergeRequest, at: Delivered, persons: readonly Named[]): boolean {
    const source = this.personOf(persons[0]!);
    const target = this.personOf(persons[1]!);
    const isRefused =
      source !== target &&
      ((o.kind === "identify" && source.isIdentified) ||
        (o.kind === "alias" && source.isIdentified && target.isIdentified));
    if (!isRefused) this.move({ source, target, version: at.version, atMs: mergeTimeMs(o, at) });
    this.identify(target, at.version);
    return !isRefused;
  }

  /** Merges without a guard; neither side becomes identified. */
  join(from: Named, into: Named, version: Version): void {
    const [source, target] = [this.personOf(from), this.personOf(into)];
    const { isIdentified } = source;
    this.move({ source, target, version, atMs: version.tMs });
    if (isIdentified) this.identify(target, version);
  }

  /** The nodes that have changed, as they are now. */
  *changes(): Generator<{ node: IdentityNode; version: Version }> {
    for (const [node, version] of this.changedAt) yield { node, version };
  }

  private personOf({ distinctId, personId }: Named): Person {
    const { teamId } = this;
    const node = this.nodes.get(personId);
    if (node !== undefined) return this.persons.get(node.survivorId)!;
    return this.add({ teamId, distinctId, personId, survivorId: personId, isIdentified: false, moves: [] });
  }

  private add(node: IdentityNode): Person {
    this.nodes.set(node.personId, node);
    let person = this.persons.get(node.survivorId);
    if (person === undefined) {
      person = { id: node.survivorId, nodes: [], isIdentified: false };
      this.persons.set(person.id, person);
    }
    person.nodes.push(node);
    if (node.isIdentified) person.isIdentified = true;
    return person;
  }

  /** `version`: in the order of the lane; `atMs`: the time of the merge among values. */
  private move(o: { source: Person; target: Person; version: Version; atMs: number }): void {
    const { source, target, version, atMs } = o;
    if (source === target) return;
    for (const node of source.nodes) {
      node.survivorId = target.id;
      node.moves = withMove(node.moves, { into: target.id, tMs: atMs, ordinal: version.ordinal });
      this.changedAt.set(node, version);
      target.nodes.push(node);
    }
    if (source.isIdentified) target.isIdentified = true;
    this.persons.delete(source.id);
    // A survivor is always on record, so that it is found by those it took in.
    this.changedAt.set(this.nodes.get(target.id)!, version);
  }

  private identify(person: Person, version: Version): void {
    const node = this.nodes.get(person.id)!;
    person.isIdentified = true;
    if (node.isIdentified) return;
    node.isIdentified = true;
    this.changedAt.set(node, version);
  }
}
