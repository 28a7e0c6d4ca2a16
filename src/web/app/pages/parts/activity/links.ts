import type { Activity } from "../../../api/schema.ts";
import { hrefOf } from "../../../shell/entries.ts";

/** The pages of records, below the address of their project, by their kinds in the log. Others have none. */
const PAGES: Readonly<Record<string, (entry: Activity) => string | null>> = {
  Action: ({ item_id }) => `data-management/actions/${item_id}`,
  Cohort: ({ item_id }) => `cohorts/${item_id}`,
  Dashboard: ({ item_id }) => `dashboard/${item_id}`,
  EventDefinition: ({ item_id }) => `data-management/events/${item_id}`,
  Import: ({ item_id }) => `imports/${item_id}`,
  Insight: ({ detail }) => (detail.short_id === null ? null : `insights/${detail.short_id}`),
  Project: () => "settings",
  PropertyDefinition: ({ item_id }) => `data-management/properties/${item_id}`,
  Team: () => "settings",
};

/** The page of the record of an entry; null: it has none, or is gone. */
export function pageOf(entry: Activity): string | null {
  const { activity, scope, team_id: project } = entry;
  if (project === null || activity === "deleted" || !Object.hasOwn(PAGES, scope)) return null;
  const path = PAGES[scope]!(entry);
  return path === null ? null : hrefOf(project, path);
}
