import type { AcceptedEvent, JsonObject } from "../../src/types/mod.ts";
import type { StoredFrame } from "./broker.ts";
import { LONG_GROUP_KEY } from "./workload.ts";

/** A person as it should be: its ids, what is known of it. Values are JSON texts. */
export interface ModelPerson {
  ids: string[];
  isIdentified: boolean;
  createdAtMs: number | null;
  properties: Record<string, string>;
}

export interface ModelTeam {
  persons: ModelPerson[];
  /** By `type/key`. */
  groups: Record<string, { createdAtMs: number; properties: Record<string, string> }>;
}

/** One thing that was accepted, with its place in the order of everything said of persons. */
export interface Said {
  generation: number;
  tMs: number;
  source: number;
  sequence: number;
  index: number;
  storedAtMs: number;
  /** As it was accepted. */
  event: AcceptedEvent;
}

export type PlacedSaid = Said & { place: string };

/** Where an event was accepted. */
export function placeOf(generation: number, lane: string, sequence: number, index: number): string {
  return `${generation}/${lane}/${sequence}/${index}`;
}

const SOURCES = ["identity", "history", "live", "overflow"];
const AUTOMATIC: Record<string, string> = { $browser: "$initial_browser", utm_source: "$initial_utm_source" };
const MERGING = ["$identify", "$create_alias", "$merge_dangerously"];
const ILLEGAL = ["undefined", "0", "Guest"];
const BEFORE_ALL_MS = -1e18;
const AFTER_ALL_MS = 1e18;

/**
 * What persons and groups should be, played in loops from what the broker accepted (`inOrder`), as PostHog does it: one event after the
 * other in the order of versions that protocol rule 18 gives, each merge where its own event stands. Who merges with whom is
 * decided before, in the order of the identity lane. `sent` has the events as clients made them, by uuid; `isStored` says
 * which accepted ones count.
 */
export function playModel(
  ordered: readonly PlacedSaid[],
  sent: ReadonlyMap<string, AcceptedEvent>,
  isStored: (place: string) => boolean,
): Map<number, ModelTeam> {
  const teams = new Map<number, Team>();
  for (const said of ordered.filter((one) => isStored(one.place))) {
    const { teamId, uuid } = said.event;
    let team = teams.get(teamId);
    if (team === undefined) {
      team = new Team();
      teams.set(teamId, team);
    }
    team.hear(said, sent.get(uuid)!);
  }
  return new Map([...teams].map(([teamId, team]) => [teamId, team.result()]));
}

/**
 * What a merging event says of its person stands above its merge (protocol rule 6): the first event that does not, or null.
 * Only while the broker's clock never went back.
 */
export function findBelowItsMerge(said: readonly PlacedSaid[]): string | null {
  const merges = said.filter(({ source }) => source === 0);
  for (const one of said) {
    const { event, source } = one;
    if (source === 0 || !MERGING.includes(event.event)) continue;
    const copies = merges.filter((merge) => merge.event.uuid === event.uuid && merge.generation === one.generation);
    const own = event.mergeSequence === 0 ? copies : copies.filter((merge) => merge.sequence === event.mergeSequence);
    if (source > 1 && own.some((merge) => compareSaid(merge, one) > 0)) return one.place;
    if (source === 1 && own.some((merge) => isHistorical(merge.event) && compareSaid(merge, one) > 0)) return one.place;
  }
  return null;
}

/** Whether the copy of a merging event came with history. */
export function isHistorical({ properties }: AcceptedEvent): boolean {
  return (JSON.parse(properties) as JsonObject).historical === true;
}

/**
 * The times of rule 18, computed frame by frame. A merge stands where its event's rows stand: with history at the event's
 * own time, else above all that was stored until then, in the same millisecond too.
 */
export function inOrder(frames: readonly StoredFrame[]): PlacedSaid[] {
  const said: PlacedSaid[] = [];
  let highestMs = 0;
  for (const generation of [...new Set(frames.map((frame) => frame.generation))].sort((a, b) => a - b)) {
    const startMs = highestMs + 1;
    const last = new Map<string, number>();
    const own = frames.filter((frame) => frame.generation === generation && !frame.isCorrupt);
    for (const { lane, partition, sequence, storedAtMs, events } of own.sort((a, b) => a.sequence - b.sequence)) {
      const key = `${lane}/${partition}`;
      for (const [index, event] of events.entries()) {
        let tMs = Math.min(event.timestampMs, Math.max(storedAtMs, event.mergedAtMs));
        if (lane !== "history") {
          const mergedMs = event.mergedAtMs === 0 ? 0 : event.mergedAtMs + 1;
          const lastMs = Math.max(last.get(key) ?? startMs, storedAtMs, mergedMs);
          last.set(key, lastMs);
          if (lane !== "identity") tMs = lastMs;
          else if (!isHistorical(event)) tMs = lastMs + 1;
        }
        const place = placeOf(generation, lane, sequence, index);
        said.push({ generation, tMs, source: SOURCES.indexOf(lane), sequence, index, storedAtMs, event, place });
      }
    }
    highestMs = Math.max(startMs, ...last.values());
  }
  return said.sort(compareSaid);
}

export function compareSaid(a: Said, b: Said): number {
  return a.tMs - b.tMs || a.source - b.source || a.sequence - b.sequence || a.index - b.index;
}

interface Person {
  /** The id that it was known by first. */
  root: string;
  ids: Set<string>;
  isIdentified: boolean;
  properties: Map<string, string>;
}

class Team {
  /** Who is who at last, by the identity lane alone. */
  private readonly decided = new People();
  /** Merges that were made, by what asked for them: between the two that stood for their persons then. */
  private readonly merges = new Map<Said, [source: string, target: string][]>();
  /** Persons as they become, event by event. */
  private readonly people = new People();
  private readonly createdAt = new Map<string, { rank: number; atMs: number }>();
  private readonly groups = new Map<string, { createdAtMs: number; properties: Map<string, string> }>();
  private readonly heard: { said: Said; sent: AcceptedEvent }[] = [];

  /** Only collects: who merges with whom is decided in another order. */
  hear(said: Said, sent: AcceptedEvent): void {
    this.heard.push({ said, sent });
  }

  result(): ModelTeam {
    const ofLane = this.heard.filter(({ said }) => said.source === 0);
    ofLane.sort(
      ({ said: a }, { said: b }) => a.generation - b.generation || a.sequence - b.sequence || a.index - b.index,
    );
    for (const { said, sent } of ofLane) this.decide(said, sent);
    for (const { said, sent } of this.heard) {
      for (const [source, target] of this.merges.get(said) ?? []) this.people.merge(source, target);
      if (said.source !== 0) this.take(said);
      else if (sent.event === "") this.takeImport(said, JSON.parse(sent.properties) as JsonObject);
    }
    const all = new Set([...this.decided.ids, ...this.people.ids]);
    const persons = new Set([...all].map((id) => this.people.person(id)));
    const found = [...persons].map(({ ids, properties }): ModelPerson => {
      const ages = [...ids].flatMap((id) => this.createdAt.get(id)?.atMs ?? []);
      const createdAtMs = ages.length === 0 ? null : Math.min(...ages);
      const isIdentified = [...ids].some((id) => this.decided.person(id).isIdentified);
      return { ids: [...ids].sort(), isIdentified, createdAtMs, properties: Object.fromEntries(properties) };
    });
    const groups = [...this.groups].map(([key, { createdAtMs, properties }]) => {
      return [key, { createdAtMs, properties: Object.fromEntries(properties) }] as const;
    });
    return { persons: found, groups: Object.fromEntries(groups) };
  }

  private merge(said: Said, sourceId: string, targetId: string): void {
    const [source, target] = [this.decided.person(sourceId), this.decided.person(targetId)];
    if (source === target) return;
    const made = this.merges.get(said) ?? [];
    made.push([source.root, target.root]);
    this.merges.set(said, made);
    this.decided.merge(sourceId, targetId);
  }

  /** A message of the identity lane: what the event that it was made of asks. */
  private decide(said: Said, { event, distinctId, properties }: AcceptedEvent): void {
    const given = JSON.parse(properties) as JsonObject;
    if (event === "") {
      const [first, ...others] = given.distinct_ids as string[];
      for (const id of others) this.merge(said, id, first!);
      if (given.is_identified === true) this.decided.person(first!).isIdentified = true;
      return;
    }
    const other = String(event === "$identify" ? given.$anon_distinct_id : given.alias);
    if (other === distinctId || ILLEGAL.includes(other)) throw new Error(`nobody should have asked for ${other}`);
    const [sourceId, targetId] = event === "$create_alias" ? [distinctId, other] : [other, distinctId];
    const [source, target] = [this.decided.person(sourceId), this.decided.person(targetId)];
    const isRefused =
      (event === "$identify" && source.isIdentified) ||
      (event === "$create_alias" && source.isIdentified && target.isIdentified);
    if (source === target || !isRefused) this.merge(said, sourceId, targetId);
    this.decided.person(targetId).isIdentified = true;
  }

  private takeImport(said: Said, given: JsonObject): void {
    const ids = given.distinct_ids as string[];
    const createdAtMs = given.created_at_ms as number | null;
    for (const id of ids) {
      const rank = createdAtMs === null ? AFTER_ALL_MS : BEFORE_ALL_MS;
      this.see(id, rank, createdAtMs ?? said.event.timestampMs);
    }
    const { properties } = this.people.person(ids[0]!);
    for (const [key, value] of Object.entries(given.properties as JsonObject)) {
      properties.set(key, JSON.stringify(value));
    }
  }

  private see(id: string, rank: number, atMs: number): void {
    const known = this.createdAt.get(id);
    this.people.person(id);
    if (known === undefined || rank < known.rank) this.createdAt.set(id, { rank, atMs });
  }

  private take(said: Said): void {
    const { event } = said;
    const given = JSON.parse(event.properties) as JsonObject;
    if (given.$process_person_profile === false) return;
    this.see(event.distinctId, said.tMs, event.timestampMs);
    if (event.event === "$groupidentify") {
      this.takeGroup(said, given);
      return;
    }
    const { properties } = this.people.person(event.distinctId);
    const { set, once, unset } = changesOf(event);
    // Only what the person had before goes (docs/persons.md#properties).
    const removed = unset.filter((key) => properties.has(key));
    for (const [key, value] of Object.entries(set)) properties.set(key, value);
    for (const [key, value] of Object.entries(once)) if (!properties.has(key)) properties.set(key, value);
    for (const key of removed) properties.delete(key);
  }

  private takeGroup({ event, storedAtMs }: Said, given: JsonObject): void {
    if (given.$group_key === LONG_GROUP_KEY) return;
    const name = `${given.$group_type}/${given.$group_key}`;
    let group = this.groups.get(name);
    if (group === undefined) {
      group = { createdAtMs: Math.min(event.timestampMs, storedAtMs), properties: new Map() };
      this.groups.set(name, group);
    }
    for (const [key, value] of Object.entries(given.$group_set as JsonObject)) {
      group.properties.set(key, JSON.stringify(value));
    }
  }
}

class People {
  private readonly personOf = new Map<string, Person>();

  get ids(): string[] {
    return [...this.personOf.keys()];
  }

  /** Of an id that nobody knows yet a new one. */
  person(id: string): Person {
    let person = this.personOf.get(id);
    if (person === undefined) {
      person = { root: id, ids: new Set([id]), isIdentified: false, properties: new Map() };
      this.personOf.set(id, person);
    }
    return person;
  }

  merge(sourceId: string, targetId: string): void {
    const [source, target] = [this.person(sourceId), this.person(targetId)];
    if (source === target) return;
    for (const id of source.ids) {
      target.ids.add(id);
      this.personOf.set(id, target);
    }
    for (const [key, value] of source.properties) {
      if (!target.properties.has(key)) target.properties.set(key, value);
    }
    target.isIdentified ||= source.isIdentified;
  }
}

/** What an event says of its person. */
function changesOf({ event, properties }: AcceptedEvent) {
  const given = JSON.parse(properties) as JsonObject;
  const [set, once]: Record<string, string>[] = [{}, {}];
  const changes = { set: set!, once: once!, unset: (given.$unset ?? []) as string[] };
  if (event === "$groupidentify" || event === "" || given.$process_person_profile === false) {
    return { set: {}, once: {}, unset: [] };
  }
  for (const [key, initial] of Object.entries(AUTOMATIC)) {
    if (!(key in given)) continue;
    set![key] = JSON.stringify(given[key]);
    once![initial] = JSON.stringify(given[key]);
  }
  for (const [key, value] of Object.entries((given.$set ?? {}) as JsonObject)) set![key] = JSON.stringify(value);
  for (const [key, value] of Object.entries((given.$set_once ?? {}) as JsonObject)) once![key] = JSON.stringify(value);
  return changes;
}
