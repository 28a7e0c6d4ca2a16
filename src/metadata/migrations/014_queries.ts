import type { Migration } from "../../store/mod.ts";

/** Background queries in turns by project, and long results in pieces. */
export const queries: Migration = {
  name: "014_queries",
  statements: (dialect) => [
    // The task of the work queue that has a job in hand, and how often one has taken it.
    "alter table query_jobs add column task_id text",
    "alter table query_jobs add column attempts integer not null default 0",
    // A long result has its rows in pieces, `long_bytes` in all, under the id of the calculation; `result` is the rest of it.
    "alter table query_cache add column run_id text",
    "alter table query_cache add column long_bytes bigint not null default 0",
    "create index query_cache_runs on query_cache (run_id) where run_id is not null",
    `create table query_pieces (run_id text not null, piece integer not null, team_id bigint not null,
       content ${dialect === "sqlite" ? "blob" : "bytea"} not null, at_ms bigint not null, primary key (run_id, piece))`,
    "create index query_pieces_team on query_pieces (team_id)",
    "create index query_pieces_age on query_pieces (at_ms)",
  ],
};
