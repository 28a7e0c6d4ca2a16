import { hasLevel } from "./guard.ts";
import type { Caller } from "./route.ts";

/** Restriction and privilege levels of the API. */
const EVERYONE_CAN_EDIT = 21;
const ONLY_COLLABORATORS_CAN_EDIT = 37;
const CAN_VIEW = 21;
const CAN_EDIT = 37;

/** Who looks at an object: a user with a key, or whoever has the link to it. */
export type Viewer = Caller | "link";

/** The fields about rights that objects of a project carry. */
export function accessFields(viewer: Viewer, createdBy: number | null) {
  if (viewer === "link") {
    return {
      effective_restriction_level: ONLY_COLLABORATORS_CAN_EDIT,
      effective_privilege_level: CAN_VIEW,
      user_access_level: "viewer",
    };
  }
  const isManager = createdBy === viewer.user.id || hasLevel(viewer.key, "admin");
  return {
    effective_restriction_level: EVERYONE_CAN_EDIT,
    effective_privilege_level: CAN_EDIT,
    user_access_level: isManager ? "manager" : "editor",
  };
}
