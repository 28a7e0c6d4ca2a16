import type { Migration } from "../../store/mod.ts";

/** What others than its maker may do with an insight. */
export const access: Migration = {
  name: "009_access",
  // access: JSON object, `Access`; null where nothing was said.
  statements: () => ["alter table insights add column access text"],
};
