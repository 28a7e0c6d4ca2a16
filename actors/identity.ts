import { membersOf } from "../src/json/mod.ts";
import type { MergeRequest, PersonImport } from "../src/persons/mod.ts";
import { type IdentityNode, type LogRow, personIdOf, type Version, withMove } from "../src/types/mod.ts";
import type { Actor, ActorWarning, Delivered } from "./contract.ts";
import { requestsOf, type Told } from "./identityRequests.ts";

/**
 * Decides which distinct_ids are one person, from the identity lane alone: its order is the order of acceptance, so that
 * delivery changes nothing (protocol rule 21). A merge that was made stays made and flags only grow; hence a copy of a request changes nothing.
 *
 * The target's person survives. `$identify` is refused when the source is identified, `$create_alias` only when both are,
 * `$merge_dangerously` and imports never. An imported person is identified where its import says so.
 */
export const identityActor: Actor = {
  name: "identity",
  lanes: ["identity"],

  needs(batch) {
    const identities = new Map<number, Set<string>>();
    for (const { at, persons } of askedIn(batch)) {
      const ids = identities.getOrInsertComputed(at.event.teamId, () => new Set());
      for (const { personId } of persons) ids.add(personId);
    }
    return { identities };
  },

  step(batch, known) {
    const people = new Map<number, People>();
    const log: LogRow[] = [];
    const warnings: ActorWarning[] = [];
    for (const { at, request, persons } of askedIn(batch)) {
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
  request: MergeRequest | PersonImport;
  /** Of its distinct_ids: source and target, or all of an import. */
  persons: readonly Named[];
}

/** Made once for `needs` and `step`. */
const askedOf = new WeakMap<readonly Delivered[], readonly Asked[]>();

const askedIn = (batch: readonly Delivered[]): readonly Asked[] =>
  askedOf.getOrInsertComputed(batch, () => requestsOf(batch).flatMap(asked));

/** A group has no ids that merge: `importedGroups.ts`. */
function asked({ at, request }: Told): Asked[] {
  const { teamId } = at.event;
  if (request.kind === "group") return [];
  const distinctIds = request.kind === "import" ? request.distinctIds : [request.source, request.target];
  const persons = distinctIds.map((distinctId) => ({ distinctId, personId: personIdOf(teamId, distinctId) }));
  return [{ at, request, persons }];
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

/** How an imported time of creation counts. */
export function creationVersion(version: Version, createdAtMs: number | null): Version {
  return { ...version, tMs: createdAtMs === null ? AFTER_ALL_MS : BEFORE_ALL_MS };
}

function takeImport(
  team: People,
  { properties, createdAtMs, isIdentified }: PersonImport,
  { at, persons, log }: { at: Delivered; persons: readonly Named[]; log: LogRow[] },
): void {
  const { teamId } = at.event;
  const [first, ...others] = persons;
  if (first === undefined) return;
  for (const other of others) team.join(other, first, at.version);
  if (isIdentified) team.identifyAs(first, at.version);
  const version = creationVersion(at.version, createdAtMs);
  for (const named of persons) {
    const subject = { type: "person", ...named } as const;
    log.push({ kind: "seen", teamId, subject, atMs: createdAtMs ?? at.event.timestampMs, version });
  }
  const subject = { type: "person", ...first } as const;
  for (const [key, value] of membersOf(properties)) {
    log.push({ kind: "property", teamId, subject, op: "set", key, value, version: at.version });
  }
}

/** A node as far as a batch is about it. */
interface Member {
  node: IdentityNode;
  person: Person;
  /** Version of the last request that changed the node; null when none did. */
  changedAt: Version | null;
}

/** A person as far as a batch is about it. */
interface Person {
  /** Of its survivor. */
  id: string;
  members: Member[];
  /** Whether any of its nodes is. */
  isIdentified: boolean;
}

const newPerson = (id: string): Person => ({ id, members: [], isIdentified: false });

/** The persons of one project that a batch is about. */
class People {
  /** By the person id of the node. */
  private readonly members = new Map<string, Member>();
  /** Of nodes that have changed, in the order in which they first did. */
  private readonly changed: Member[] = [];

  constructor(
    private readonly teamId: number,
    known: readonly IdentityNode[],
  ) {
    const persons = new Map<string, Person>();
    for (const node of known) {
      if (node.teamId === teamId) this.add({ ...node }, persons.getOrInsertComputed(node.survivorId, newPerson));
    }
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

  identifyAs(named: Named, version: Version): void {
    this.identify(this.personOf(named), version);
  }

  /** The nodes that have changed, as they are now. */
  *changes(): Generator<{ node: IdentityNode; version: Version }> {
    for (const { node, changedAt } of this.changed) yield { node, version: changedAt! };
  }

  private personOf({ distinctId, personId }: Named): Person {
    const member = this.members.get(personId);
    if (member !== undefined) return member.person;
    const { teamId } = this;
    const node = { teamId, distinctId, personId, survivorId: personId, isIdentified: false, moves: [] };
    return this.add(node, newPerson(personId));
  }

  private add(node: IdentityNode, person: Person): Person {
    const member = { node, person, changedAt: null };
    this.members.set(node.personId, member);
    person.members.push(member);
    if (node.isIdentified) person.isIdentified = true;
    return person;
  }

  /** `version`: in the order of the lane; `atMs`: the time of the merge among values. */
  private move(o: { source: Person; target: Person; version: Version; atMs: number }): void {
    const { source, target, version, atMs } = o;
    if (source === target) return;
    for (const member of source.members) {
      const { node } = member;
      node.survivorId = target.id;
      node.moves = withMove(node.moves, { into: target.id, tMs: atMs, ordinal: version.ordinal });
      member.person = target;
      this.change(member, version);
      target.members.push(member);
    }
    if (source.isIdentified) target.isIdentified = true;
    // A survivor is always on record, so that it is found by those it took in.
    this.change(this.members.get(target.id)!, version);
  }

  private identify(person: Person, version: Version): void {
    const survivor = this.members.get(person.id)!;
    person.isIdentified = true;
    if (survivor.node.isIdentified) return;
    survivor.node.isIdentified = true;
    this.change(survivor, version);
  }

  private change(member: Member, version: Version): void {
    if (member.changedAt === null) this.changed.push(member);
    member.changedAt = version;
  }
}
