import { user } from "./session.ts";

const ADMIN = 8;

type Scope = "*" | `${string}:${"read" | "write"}`;

/** Whether the session, or the key in its place, allows something: of a key only what its scopes say. To write is to read, too. */
export function may(scope: Scope): boolean {
  const scopes = user.value?.scopes ?? [];
  return ["*", scope, scope.replace(":read", ":write")].some((one) => scopes.includes(one));
}

/** The same of what belongs to no project, such as members and keys: a key that is limited to some projects is refused there. */
export const mayBeyond = (scope: Scope): boolean => may(scope) && !user.value?.scoped_teams?.length;

/** Whether the user may make projects: the organization's admins and its owner. */
export const isAdmin = (): boolean => mayBeyond("*") && (user.value?.organization?.membership_level ?? 0) >= ADMIN;

/** Whether the user may read the members and the roles that levels can be set for. */
export const seesSubjects = (): boolean => mayBeyond("organization_member:read") && may("organization:read");

/** Whether the user may set what others may do with an insight or a dashboard. */
export const mayManage = ({ user_access_level: level }: { user_access_level: string }): boolean =>
  seesSubjects() && may("access_control:write") && level === "manager";

/** What has levels of its own in a project. */
export type Noun = "insight" | "dashboard" | "cohort" | "action";

/** Whether a level is enough to make and change something. */
export const isEditor = (level: string | undefined): boolean => level === "editor" || level === "manager";

/** Whether the user may change an object of a project. */
export const mayEdit = (noun: Noun, { user_access_level: level }: { user_access_level?: string }): boolean =>
  may(`${noun}:write`) && isEditor(level);

/** Whether the user may switch the link of what it may change. */
export const mayShare = (): boolean => may("sharing_configuration:write");
