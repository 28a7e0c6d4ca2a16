import type { Migration } from "../../../store/mod.ts";

/** What compaction must know of a file before it works on it. */
export const wide: Migration = {
  name: "015_wide",
  statements: () => [
    // Text of the rows that hold much of it (`lake/wide.ts`).
    "alter table segments add column wide_bytes bigint not null default 0",
    // Jobs that failed of the file, or during which the process died; those that are under way count too.
    "alter table segments add column failures bigint not null default 0",
  ],
};
