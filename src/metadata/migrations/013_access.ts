import type { Migration } from "../../store/mod.ts";

/** What may be done with more than insights. */
export const moreAccess: Migration = {
  name: "013_access",
  // access: JSON object, `Access`; null where nothing was said.
  statements: () =>
    ["dashboards", "project_objects", "environments"].map((table) => `alter table ${table} add column access text`),
};
