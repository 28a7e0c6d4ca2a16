import type { Delivered } from "../../actors/contract.ts";
import type { WaitingErasure } from "../lake/mod.ts";
import { identifiedGroup, readIdentityRequest } from "../persons/mod.ts";
import { importMark, personIdOf } from "../types/mod.ts";

/** Finds the erasures that an event is met by. */
export class ErasureIndex {
  private readonly projects = new Set<number>();
  private readonly imports: (WaitingErasure & { kind: "import" })[] = [];
  private readonly persons = new Map<string, WaitingErasure[]>();
  private readonly groups = new Map<string, WaitingErasure[]>();

  constructor(readonly erasures: readonly WaitingErasure[]) {
    for (const erasure of erasures) {
      if (erasure.kind === "project") this.projects.add(erasure.teamId);
      else if (erasure.kind === "import") this.imports.push(erasure);
      else if (erasure.kind === "group") add(this.groups, groupKey(erasure.teamId, erasure), erasure);
      else for (const id of erasure.personIds) add(this.persons, id, erasure);
    }
  }

  hasProject(teamId: number): boolean {
    return this.projects.has(teamId);
  }

  /** Those of something in a project that the event is of, whenever it was accepted. */
  of(at: Delivered): WaitingErasure[] {
    const found: WaitingErasure[] = [];
    if (this.persons.size > 0) for (const id of personIdsOf(at)) found.push(...(this.persons.get(id) ?? []));
    // A copy on the identity lane tells of a merge, which stays.
    if (at.lane === "identity") return found;
    const { teamId, properties } = at.event;
    for (const erasure of this.imports) {
      if (erasure.teamId === teamId && properties.includes(importMark(erasure.importId))) found.push(erasure);
    }
    const group = this.groups.size === 0 ? null : identifiedGroup(at.event);
    if (group !== null) found.push(...(this.groups.get(groupKey(teamId, group)) ?? []));
    return found;
  }
}

function add(index: Map<string, WaitingErasure[]>, key: string, erasure: WaitingErasure): void {
  index.getOrInsertComputed(key, () => []).push(erasure);
}

/** A type has one index for ever, and workers ask for it later. */
const groupKey = (teamId: number, { type, key }: { type: string; key: string }): string =>
  JSON.stringify([teamId, type, key]);

/** Uuids of the persons that an event is about. */
function personIdsOf({ lane, event }: Delivered): string[] {
  const { teamId, distinctId } = event;
  if (lane !== "identity") return [personIdOf(teamId, distinctId)];
  const request = readIdentityRequest(event);
  if (request.kind === "group") return [];
  const ids = request.kind === "import" ? request.distinctIds : [request.source, request.target];
  return ids.map((id) => personIdOf(teamId, id));
}
