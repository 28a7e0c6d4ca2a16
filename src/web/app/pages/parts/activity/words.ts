import type { Activity } from "../../../api/schema.ts";

/** What the log calls the kinds of records. */
const KINDS: Readonly<Record<string, string>> = {
  Action: "action",
  AlertConfiguration: "alert",
  Annotation: "annotation",
  BatchExport: "export",
  Cohort: "cohort",
  Dashboard: "dashboard",
  EventDefinition: "event",
  Import: "import",
  Insight: "insight",
  Organization: "organization",
  OrganizationInvite: "invitation",
  OrganizationMembership: "member",
  PersonalAPIKey: "personal key",
  Project: "project with its environments",
  PropertyDefinition: "property",
  Role: "role",
  Subscription: "subscription",
  Team: "project",
  User: "user",
};

/** A kind of record: "personal key". */
export const kindLabel = (scope: string): string => (Object.hasOwn(KINDS, scope) ? KINDS[scope]! : inWords(scope));

/** What was done, with the words that lead to the record: "changed the". */
const DEEDS: Readonly<Record<string, string>> = {
  created: "made the",
  updated: "changed the",
  deleted: "deleted the",
  rolled: "gave a new value to the",
  paused: "paused the",
  unpaused: "went on with the",
  "sharing enabled": "switched on the link of the",
  "sharing disabled": "switched off the link of the",
  "sharing changed": "changed the link of the",
  "access token refreshed": "renewed the link of the",
  "run cancelled": "ended a run of the",
  "backfill cancelled": "ended a backfill of the",
  "sessions ended": "ended all sessions of the",
  logged_in: "logged in:",
  logged_out: "logged out:",
};

/** What was done: "changed the", "logged in:". */
export const deedWords = (activity: string): string =>
  Object.hasOwn(DEEDS, activity) ? DEEDS[activity]! : `${inWords(activity)}:`;

/** The same to be chosen from: "Changed". */
export function deedLabel(activity: string): string {
  const words = deedWords(activity).replace(/(?: of| to| with)? the$|:$/, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "test_account_filters" and "BatchExport" as people write them. */
export const inWords = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_\s]+/g, " ")
    .trim()
    .toLowerCase();

/** The name of the person that did it. */
export function personOf({ user }: Pick<Activity, "user">): string {
  if (user.is_system) return "Weir";
  return `${user.first_name} ${user.last_name ?? ""}`.trim() || (user.email ?? "Somebody");
}
