import type { Actor } from "./contract.ts";
import { eventActor } from "./event.ts";
import { groupsActor } from "./groups.ts";
import { identityActor } from "./identity.ts";
import { importedGroupsActor } from "./importedGroups.ts";
import { personActor } from "./person.ts";

/** The actors that a worker runs, in this order. Your own go before `groupsActor`. */
export const ACTORS: readonly Actor[] = [identityActor, importedGroupsActor, groupsActor, personActor, eventActor];
