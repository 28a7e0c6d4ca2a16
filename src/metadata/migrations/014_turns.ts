import type { Migration } from "./migration.ts";

/** Background queries in turns by project. */
export const turns: Migration = {
  name: "014_turns",
  statements: () => [
    // The task of the work queue that has a job in hand, and how often one has taken it.
    "alter table query_jobs add column task_id text",
    "alter table query_jobs add column attempts integer not null default 0",
  ],
};
