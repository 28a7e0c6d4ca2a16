import { user } from "./session.ts";

/** What a member may do in the organization, lowest first, as the API numbers it. */
export const LEVELS = [
  { value: 1, label: "Member" },
  { value: 8, label: "Admin" },
  { value: 15, label: "Owner" },
] as const;
export type Level = (typeof LEVELS)[number]["value"];

/** The level of the user; 0 where nobody is logged in. */
export const ownLevel = (): number => user.value?.organization?.membership_level ?? 0;

/** Those that the user can give to others. */
export const levelsToGive = () => LEVELS.filter(({ value }) => value <= ownLevel());

export const levelLabel = (level: number): string => LEVELS.find(({ value }) => value === level)?.label ?? "";
