import { ACCESS_LEVELS, type AccessLevel } from "../../metadata/mod.ts";
import { permissionDenied } from "./errors.ts";
import { hasLevel } from "./guard.ts";
import type { Caller } from "./route.ts";

/** Restriction and privilege levels of the API. */
const EVERYONE_CAN_EDIT = 21;
const ONLY_COLLABORATORS_CAN_EDIT = 37;
const CAN_VIEW = 21;
const CAN_EDIT = 37;

/** Who looks at an object: a user with a key, or whoever has the link to it. */
export type Viewer = Caller | "link";

/** What all may do with an object of which nothing else was said. */
export const DEFAULT_LEVEL: AccessLevel = "editor";

interface Owned {
  createdBy: number | null;
  access?: { level: AccessLevel } | null;
}

/** What a viewer may do with an object: its maker and admins everything. */
export function accessLevel(viewer: Viewer, { createdBy, access }: Owned): AccessLevel {
  if (viewer === "link") return "viewer";
  if (createdBy === viewer.user.id || hasLevel(viewer.key, "admin")) return "manager";
  return access?.level ?? DEFAULT_LEVEL;
}

/** Whether that is enough to do something for which `level` is asked. */
export function mayDo(viewer: Viewer, object: Owned, level: AccessLevel): boolean {
  return ACCESS_LEVELS.indexOf(accessLevel(viewer, object)) >= ACCESS_LEVELS.indexOf(level);
}

/** Throws ApiError 403 for who may not change the object. */
export function requireEditor(viewer: Viewer, object: Owned, noun: string): void {
  if (!mayDo(viewer, object, "editor")) throw permissionDenied(`You don't have edit permissions for this ${noun}.`);
}

/** The fields about rights that objects of a project carry. */
export function accessFields(viewer: Viewer, object: Owned) {
  const isEditor = mayDo(viewer, object, "editor");
  return {
    effective_restriction_level: viewer === "link" ? ONLY_COLLABORATORS_CAN_EDIT : EVERYONE_CAN_EDIT,
    effective_privilege_level: isEditor ? CAN_EDIT : CAN_VIEW,
    user_access_level: accessLevel(viewer, object),
  };
}
