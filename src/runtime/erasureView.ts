import type { Delivered } from "../../actors/contract.ts";
import { type Catalog, concernsEvents, type WaitingErasure } from "../lake/mod.ts";
import { EventFlag } from "../types/mod.ts";
import type { Batch } from "./batch.ts";
import { ErasureIndex } from "./erasureIndex.ts";
import type { PersonCache } from "./personCache.ts";

/** What was deleted, as of the last refresh: what queued events still say of it must not be stored. */
export class ErasureView {
  /** Of the newest one that is known. */
  version = 0;
  private index = new ErasureIndex([]);

  constructor(
    private readonly catalog: Pick<Catalog, "waitingErasures">,
    private readonly cache: Pick<PersonCache, "forget">,
  ) {}

  /** All erasures of which files may still hold rows. */
  get all(): readonly WaitingErasure[] {
    return this.index.erasures;
  }

  /** Learns of new ones, and forgets what is known of their persons. */
  async refresh(): Promise<void> {
    const found = await this.catalog.waitingErasures(this.version);
    // Flushes that run side by side ask at the same time: the newest answer holds.
    if (found === null || found.version <= this.version) return;
    const fresh = found.erasures.filter(({ version }) => version > this.version);
    this.version = found.version;
    this.index = new ErasureIndex(found.erasures);
    for (const erasure of fresh) {
      if (erasure.kind === "person") this.cache.forget(erasure.teamId, new Set(erasure.personIds));
    }
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
    const index = new ErasureIndex(fresh);
    const isMet = batch.some((at) => index.hasProject(at.event.teamId) || index.of(at).length > 0);
    return { version, isMet };
  }

  /** Leaves out of a batch just decoded what was deleted after it had been accepted, and counts it; gives the rest. */
  leaveOut(batch: Batch, delivered: readonly Delivered[], generation: number): readonly Delivered[] {
    if (this.all.length === 0) return delivered;
    batch.forgetProjects((teamId) => this.index.hasProject(teamId));
    return delivered.flatMap((at) => {
      const met = this.index.of(at).filter((erasure) => isBefore(at, generation, erasure));
      if (!this.index.hasProject(at.event.teamId) && !met.some(concernsEvents)) return [withFlags(at, met)];
      // A message of the identity lane is not an event.
      if (at.lane !== "identity") batch.drop(at, "deleted");
      return [];
    });
  }
}

/** An event that stays, without the person or the group that was deleted. A merge stays as it is. */
function withFlags(at: Delivered, met: readonly WaitingErasure[]): Delivered {
  if (met.length === 0 || at.lane === "identity") return at;
  const flagOf = ({ kind }: WaitingErasure) => (kind === "group" ? EventFlag.Groupless : EventFlag.Personless);
  const flags = met.reduce((sum, erasure) => sum | flagOf(erasure), at.event.flags);
  return { ...at, event: { ...at.event, flags } };
}

function isBefore({ lane, partition, sequence }: Delivered, generation: number, erasure: WaitingErasure): boolean {
  if (generation !== erasure.generation) return generation < erasure.generation;
  const last = erasure.sequences.find((at) => at.lane === lane && at.partition === partition);
  return last !== undefined && sequence <= last.sequence;
}
