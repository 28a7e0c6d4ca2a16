import { user } from "./session.ts";

const ADMIN = 8;

/** Whether the user may make projects: the organization's admins and its owner. */
export const isAdmin = (): boolean => (user.value?.organization?.membership_level ?? 0) >= ADMIN;

/** Whether the user may say what others may do with an insight or a dashboard. */
export const mayManage = ({ user_access_level: level }: { user_access_level: string }): boolean => level === "manager";

/** Whether the user may change an insight or a dashboard. */
export const mayEdit = ({ user_access_level: level }: { user_access_level: string }): boolean =>
  level === "editor" || level === "manager";
