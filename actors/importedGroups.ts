import { membersOf } from "../src/json/mod.ts";
import type { GroupImport } from "../src/persons/mod.ts";
import type { LogRow } from "../src/types/mod.ts";
import type { Actor, Delivered } from "./contract.ts";
import { creationVersion } from "./identity.ts";
import { requestsOf } from "./identityRequests.ts";

/**
 * Groups that are made as they are elsewhere, without an event. What is told so is of now: older events of the same group, which may
 * come later, change nothing of it.
 */
export const importedGroupsActor: Actor = {
  name: "importedGroups",
  lanes: ["identity"],

  needs(batch) {
    const groupTypes = new Map<number, string[]>();
    for (const { at, group } of groupsOf(batch)) {
      groupTypes.getOrInsertComputed(at.event.teamId, () => []).push(group.type);
    }
    return { groupTypes };
  },

  step(batch, known) {
    const log: LogRow[] = [];
    for (const { at, group } of groupsOf(batch)) {
      const { event, version } = at;
      const { teamId } = event;
      const { key, createdAtMs } = group;
      const index = known.groupTypes(teamId).get(group.type);
      if (index === undefined) continue;
      const subject = { type: "group", index, key } as const;
      const seen = { atMs: createdAtMs ?? event.timestampMs, version: creationVersion(version, createdAtMs) };
      log.push({ kind: "seen", teamId, subject, ...seen });
      for (const [name, value] of membersOf(group.properties)) {
        log.push({ kind: "property", teamId, subject, op: "set", key: name, value, version });
      }
    }
    return { log };
  },
};

function groupsOf(batch: readonly Delivered[]): { at: Delivered; group: GroupImport }[] {
  return requestsOf(batch).flatMap(({ at, request }) => (request.kind === "group" ? [{ at, group: request }] : []));
}
