import { type Access, OBJECT_LEVELS, type ObjectLevel } from "../../metadata/mod.ts";
import { permissionDenied } from "../http/errors.ts";
import { hasLevel } from "./guard.ts";
import type { Caller } from "./route.ts";

/** Restriction and privilege levels of the API. */
const EVERYONE_CAN_EDIT = 21;
const ONLY_COLLABORATORS_CAN_EDIT = 37;
const CAN_VIEW = 21;
const CAN_EDIT = 37;

/** For whom an object is shown: a caller with a key, or a request with its link. */
export type Viewer = Caller | "link";

/** What may be done with an object that has no level of its own. */
export const DEFAULT_LEVEL: ObjectLevel = "editor";

/** Something with a level for callers below an admin. */
export interface Controlled {
  access: Access<ObjectLevel> | null;
}

/**
 * What a viewer may do with an object: an admin everything, others what the object allows. Its maker has no further rights: as
 * long as there is one user, that is always the caller.
 */
export function accessLevel(viewer: Viewer, { access }: Controlled): ObjectLevel {
  if (viewer === "link") return "viewer";
  return seesAll(viewer) ? "manager" : (access?.level ?? DEFAULT_LEVEL);
}

/** Whether a caller's lists have what is closed to others, too. */
export function seesAll(caller: Caller): boolean {
  return hasLevel(caller, "admin");
}

/** Whether that is enough to do something for which `level` is asked. */
export function mayDo(viewer: Viewer, object: Controlled, level: ObjectLevel): boolean {
  return OBJECT_LEVELS.indexOf(accessLevel(viewer, object)) >= OBJECT_LEVELS.indexOf(level);
}

/** Throws ApiError 403 for a viewer that may not change the object. */
export function requireEditor(viewer: Viewer, object: Controlled, noun: string): void {
  if (!mayDo(viewer, object, "editor")) throw permissionDenied(`You don't have edit permissions for this ${noun}.`);
}

/** The fields about rights that objects of a project carry. */
export function accessFields(viewer: Viewer, object: Controlled) {
  const isEditor = mayDo(viewer, object, "editor");
  return {
    effective_restriction_level: viewer === "link" ? ONLY_COLLABORATORS_CAN_EDIT : EVERYONE_CAN_EDIT,
    effective_privilege_level: isEditor ? CAN_EDIT : CAN_VIEW,
    user_access_level: accessLevel(viewer, object),
  };
}
