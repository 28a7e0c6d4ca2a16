import { user } from "./session.ts";

const ADMIN = 8;

/** Whether the session, or the key in its place, allows something: of a key only what its scopes say. */
export function may(scope: "*" | `${string}:${"read" | "write"}`): boolean {
  const scopes = user.value?.scopes ?? [];
  return scopes.includes("*") || scopes.includes(scope);
}

/** Whether the user may make projects: the organization's admins and its owner. */
export const isAdmin = (): boolean => may("*") && (user.value?.organization?.membership_level ?? 0) >= ADMIN;

/** Whether the user may set what others may do with an insight or a dashboard. */
export const mayManage = ({ user_access_level: level }: { user_access_level: string }): boolean =>
  may("access_control:write") && level === "manager";

/** Whether the user may change an insight, a dashboard or a cohort. */
export const mayEdit = (
  noun: "insight" | "dashboard" | "cohort",
  { user_access_level: level }: { user_access_level?: string },
): boolean => may(`${noun}:write`) && (level === "editor" || level === "manager");

/** Whether the user may switch the link of what it may change. */
export const mayShare = (): boolean => may("sharing_configuration:write");
