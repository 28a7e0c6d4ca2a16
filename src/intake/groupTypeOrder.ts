import type { Catalog } from "../lake/mod.ts";
import { GROUP_IDENTIFY, identifiedGroup } from "../persons/mod.ts";
import type { PublishBatch } from "../stream/mod.ts";
import { describeError, MAX_GROUP_TYPES, RawEvent, Turns, textOf } from "../types/mod.ts";

/**
 * Gives group types that a request describes their indexes before it is sent, in its order: its events go to several
 * partitions, and which of their workers is first is chance. Costs nothing once a project's types are known. Types that only
 * `$groups` names get theirs from the worker that meets them.
 */
export class GroupTypeOrder {
  private readonly turns = new Turns();
  private readonly known = new Map<number, ReadonlySet<string>>();

  constructor(
    private readonly catalog: Pick<Catalog, "ensureGroupTypes">,
    private readonly log: (message: string) => void,
  ) {}

  async note({ teamId, events }: PublishBatch): Promise<void> {
    const known = this.known.get(teamId);
    if (known !== undefined && known.size >= MAX_GROUP_TYPES) return;
    const types = new Set<string>();
    for (const event of events) {
      if (event instanceof RawEvent || event.event !== GROUP_IDENTIFY) continue;
      // A batch may hold any number of them.
      if (this.turns.isOver) await this.turns.next();
      const group = identifiedGroup({ ...event, properties: textOf(event.properties) });
      if (group !== null && known?.has(group.type) !== true) types.add(group.type);
    }
    if (types.size === 0) return;
    try {
      this.known.set(teamId, new Set((await this.catalog.ensureGroupTypes(teamId, [...types])).keys()));
    } catch (error) {
      // The events are worth more than the order of indexes.
      this.log(`group types of project ${teamId} are left to the workers: ${describeError(error)}`);
    }
  }
}
