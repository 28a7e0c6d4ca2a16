import type { Delivered } from "../../actors/contract.ts";
import type { Catalog, WaitingErasure } from "../lake/mod.ts";
import { readIdentityRequest } from "../persons/mod.ts";
import { EventFlag, importMark, personIdOf } from "../types/mod.ts";
import type { Batch } from "./batch.ts";
import type { PersonCache } from "./personCache.ts";

/** Deleted projects and persons, as of the last refresh: their events that are still queued must not be stored. */
export class ErasureView {
  /** Of the newest one that is known. */
  version = 0;
  /** All erasures of which files may still hold rows. */
  all: readonly WaitingErasure[] = [];
  private projects = new Set<number>();
  private imports: readonly WaitingErasure[] = [];
  private persons = new Map<string, WaitingErasure[]>();

  constructor(
    private readonly catalog: Pick<Catalog, "waitingErasures">,
    private readonly cache: Pick<PersonCache, "forget">,
  ) {}

  /** Learns of new ones, and forgets what is known of their persons. */
  async refresh(): Promise<void> {
    const found = await this.catalog.waitingErasures(this.version);
    // Flushes that run side by side ask at the same time: the newest answer holds.
    if (found === null || found.version <= this.version) return;
    const fresh = found.erasures.filter(({ version }) => version > this.version);
    this.version = found.version;
    this.all = found.erasures;
    this.projects = new Set(found.erasures.flatMap((e) => (e.personIds === null ? [e.teamId] : [])));
    this.imports = found.erasures.filter(({ importId }) => importId !== null);
    this.persons = new Map();
    for (const erasure of found.erasures) {
      for (const id of erasure.personIds ?? []) {
        this.persons.getOrInsertComputed(id, () => []).push(erasure);
      }
    }
    for (const { teamId, personIds } of fresh) if (personIds !== null) this.cache.forget(teamId, new Set(personIds));
  }

  /**
   * Looks for erasures above version `since`; gives the newest version that there is, and whether one of these was deleted by
   * what came since: a flush that has worked on it starts again.
   */
  async lookSince(since: number, batch: readonly Delivered[]): Promise<{ version: number; isMet: boolean }> {
    await this.refresh();
    const { version } = this;
    const fresh = this.all.filter((erasure) => erasure.version > since);
    if (fresh.length === 0) return { version, isMet: false };
    const projects = new Set(fresh.flatMap((e) => (e.personIds === null ? [e.teamId] : [])));
    const persons = new Set(fresh.flatMap((e) => e.personIds ?? []));
    const imports = fresh.filter(({ importId }) => importId !== null);
    const isMet = batch.some(
      (at) =>
        projects.has(at.event.teamId) ||
        personIdsOf(at).some((id) => persons.has(id)) ||
        imports.some((erasure) => isOf(at, erasure)),
    );
    return { version, isMet };
  }

  /** Leaves out of a batch just decoded what was deleted after it had been accepted, and counts it; gives the rest. */
  leaveOut(batch: Batch, delivered: readonly Delivered[], generation: number): readonly Delivered[] {
    if (this.projects.size === 0 && this.persons.size === 0 && this.imports.length === 0) return delivered;
    batch.forgetProjects((teamId) => this.projects.has(teamId));
    return delivered.flatMap((at) => {
      const met = this.projects.has(at.event.teamId) ? "all" : this.erasedOf(at, generation);
      if (met === "nothing") return [at];
      // The event stays, but without a person.
      if (met === "profile") return [{ ...at, event: { ...at.event, flags: at.event.flags | EventFlag.Personless } }];
      // A message of the identity lane is not an event.
      if (at.lane !== "identity") batch.drop(at, "deleted");
      return [];
    });
  }

  private erasedOf(at: Delivered, generation: number): "all" | "profile" | "nothing" {
    if (this.imports.some((erasure) => isOf(at, erasure) && isBefore(at, generation, erasure))) return "all";
    if (this.persons.size === 0) return "nothing";
    const erasures = personIdsOf(at)
      .flatMap((id) => this.persons.get(id) ?? [])
      .filter((erasure) => isBefore(at, generation, erasure));
    if (erasures.some(({ withEvents }) => withEvents)) return "all";
    return erasures.length > 0 && at.lane !== "identity" ? "profile" : "nothing";
  }
}

function isBefore({ lane, partition, sequence }: Delivered, generation: number, erasure: WaitingErasure): boolean {
  if (generation !== erasure.generation) return generation < erasure.generation;
  const last = erasure.sequences.find((at) => at.lane === lane && at.partition === partition);
  return last !== undefined && sequence <= last.sequence;
}

/** Whether an event came with the import of an erasure; a copy on the identity lane tells of a merge, which stays. */
function isOf({ lane, event }: Delivered, { teamId, importId }: WaitingErasure): boolean {
  if (importId === null || event.teamId !== teamId || lane === "identity") return false;
  return event.properties.includes(importMark(importId));
}

/** Uuids of the persons that an event is about. */
function personIdsOf({ lane, event }: Delivered): string[] {
  const { teamId, distinctId } = event;
  if (lane !== "identity") return [personIdOf(teamId, distinctId)];
  const request = readIdentityRequest(event);
  const ids = request.kind === "import" ? request.distinctIds : [request.source, request.target];
  return ids.map((id) => personIdOf(teamId, id));
}
