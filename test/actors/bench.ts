import type { Delivered } from "../../actors/contract.ts";
import { ACTORS } from "../../actors/mod.ts";
import { importRequest, mergeOf, mergeRequest, type PersonImport } from "../../src/persons/mod.ts";
import { versionOf } from "../../src/runtime/laneClock.ts";
import { PersonCache } from "../../src/runtime/personCache.ts";
import { type Outcome, runActors } from "../../src/runtime/step.ts";
import {
  type AcceptedEvent,
  EventFlag,
  type GroupIndex,
  type IdentityNode,
  type JsonObject,
  type Lane,
  type LogRow,
} from "../../src/types/mod.ts";
import { foldLog } from "../simulation/fold.ts";
import type { ModelPerson, ModelTeam } from "../simulation/model.ts";

export const TEAM = 1;
export const START_MS = Date.UTC(2026, 0, 1);
let serial = 0;

/** An event as a front accepts it. */
export function accepted(
  name: string,
  distinctId: string,
  properties: JsonObject = {},
  atMs = START_MS,
): AcceptedEvent {
  const uuid = `00000000-0000-4000-8000-${String(++serial).padStart(12, "0")}`;
  return {
    teamId: TEAM,
    uuid,
    event: name,
    distinctId,
    timestampMs: atMs,
    properties: JSON.stringify(properties),
    elementsChain: "",
    flags: properties.$process_person_profile === false ? EventFlag.Personless : 0,
    mergedAtMs: 0,
    mergeSequence: 0,
  };
}

/**
 * The actors with a memory in place of the catalog. What is accepted gets sequences and times in order; flushes take of it
 * in whatever order they are asked to.
 */
export class Bench {
  readonly log: LogRow[] = [];
  readonly outcomes: Outcome[] = [];
  private readonly waiting = new Map<string, Delivered[]>();
  private readonly sequences = new Map<Lane, number>();
  private readonly clocks = new Map<string, { lastMs: number }>();
  private readonly nodes = new Map<string, IdentityNode>();
  private readonly groupTypes = new Map<string, GroupIndex>();
  private cache = new PersonCache(1_000);
  private nowMs = START_MS;

  /** As a front does: the copy of a merging event first. */
  accept(event: AcceptedEvent, o: { lane?: Lane; partition?: number; afterMs?: number } = {}): void {
    const { lane = "live", partition = 0, afterMs = 1 } = o;
    this.nowMs += afterMs;
    const merge = mergeOf(event);
    let sent = event;
    if (merge !== null && !merge.illegal) {
      const mergeSequence = this.put(mergeRequest(event, merge, lane), "identity", 0);
      sent = { ...event, mergedAtMs: this.nowMs, mergeSequence };
    }
    this.put(sent, lane, partition);
  }

  importPerson(person: Omit<PersonImport, "kind" | "isIdentified"> & { isIdentified?: boolean }): void {
    const o = { teamId: TEAM, uuid: crypto.randomUUID(), nowMs: ++this.nowMs };
    this.put(importRequest(o, { kind: "import", isIdentified: false, ...person }), "identity", 0);
  }

  private put(event: AcceptedEvent, lane: Lane, partition: number): number {
    const sequence = (this.sequences.get(lane) ?? 0) + 1;
    this.sequences.set(lane, sequence);
    const key = `${lane}/${partition}`;
    const clock = this.clocks.get(key) ?? { lastMs: 0 };
    this.clocks.set(key, clock);
    const at = { event, lane, partition, sequence, index: 0, storedAtMs: this.nowMs };
    const queue = this.waiting.get(key) ?? [];
    this.waiting.set(key, queue);
    queue.push({ ...at, version: versionOf(at, clock) });
    return sequence;
  }

  /** Lanes and partitions that have something waiting. */
  get queues(): string[] {
    return [...this.waiting]
      .filter(([, queue]) => queue.length > 0)
      .map(([key]) => key)
      .sort();
  }

  /** One flush of the first `count` of each of these queues; one that fails changes nothing. */
  async flush(queues: readonly string[], count: number, fails = false): Promise<Outcome> {
    const batch = queues.flatMap((key) => this.waiting.get(key)!.slice(0, count));
    const outcome = await runActors(ACTORS, batch, {
      catalog: {
        ensureGroupTypes: async (_team, types) => this.ensureGroupTypes(types),
        readIdentities: async (wanted) => this.readIdentities(wanted.get(TEAM) ?? new Set()),
        readStates: async () => new Map(),
      },
      persons: this.cache,
    });
    if (fails) {
      this.forget();
      return outcome;
    }
    for (const key of queues) this.waiting.set(key, this.waiting.get(key)!.slice(count));
    for (const node of outcome.identities) this.nodes.set(node.personId, node);
    this.log.push(...outcome.log);
    this.cache.adopt(outcome.log);
    this.outcomes.push(outcome);
    return outcome;
  }

  /** The next owner knows nothing. */
  forget(): void {
    this.cache = new PersonCache(1_000);
  }

  /** Everything that waits, in one flush a queue, merges first. */
  async flushAll(): Promise<void> {
    const ordered = this.queues.sort((a, b) => Number(b.startsWith("identity")) - Number(a.startsWith("identity")));
    for (const queue of ordered) await this.flush([queue], Number.MAX_SAFE_INTEGER);
  }

  private ensureGroupTypes(types: readonly string[]): Map<string, GroupIndex> {
    for (const type of types) {
      if (!this.groupTypes.has(type) && this.groupTypes.size < 5) {
        this.groupTypes.set(type, this.groupTypes.size as GroupIndex);
      }
    }
    return new Map(this.groupTypes);
  }

  private readIdentities(personIds: ReadonlySet<string>): IdentityNode[] {
    const survivors = new Set([...personIds].flatMap((id) => this.nodes.get(id)?.survivorId ?? []));
    return [...this.nodes.values()].filter((node) => survivors.has(node.survivorId));
  }

  /** Persons and groups as a reader of the log finds them. */
  fold(): ModelTeam {
    const names = new Map([...this.groupTypes].map(([name, index]) => [index, name]));
    const { persons, groups } = foldLog(this.log, (index) => names.get(index as GroupIndex)!);
    return { persons: persons.sort((a, b) => (a.ids.join() < b.ids.join() ? -1 : 1)), groups };
  }

  /** The person of an id, values parsed. */
  person(distinctId: string): Omit<ModelPerson, "properties"> & { properties: JsonObject } {
    const person = this.fold().persons.find(({ ids }) => ids.includes(distinctId));
    if (person === undefined) throw new Error(`nobody is ${distinctId}`);
    const values = Object.entries(person.properties).map(([key, value]) => [key, JSON.parse(value)]);
    return { ...person, properties: Object.fromEntries(values) };
  }

  /** By their ids: what the model in posthog.ts knows of persons. */
  personsByIds(): Record<string, { isIdentified: boolean; properties: JsonObject }> {
    return Object.fromEntries(
      this.fold().persons.map(({ ids, isIdentified }) => {
        return [ids.join(" "), { isIdentified, properties: this.person(ids[0]!).properties }];
      }),
    );
  }

  get warnings(): { type: string; details: JsonObject }[] {
    return this.outcomes.flatMap(({ warnings }) =>
      warnings.map(({ warning }) => ({ type: warning.type, details: warning.details })),
    );
  }
}

/** Accepts, flushes, and gives the bench. */
export async function after(...events: AcceptedEvent[]): Promise<Bench> {
  const bench = new Bench();
  for (const event of events) bench.accept(event);
  await bench.flushAll();
  return bench;
}
