import { type Dialect, idColumn, type Migration } from "../../store/mod.ts";

/** Dashboards and their tiles, sharing, views; background queries, and results that know what they depend on. */
export const insights: Migration = {
  name: "004_insights",
  statements: (dialect) => [
    // source_kind: of the query inside its wrappers, for the filters of lists.
    "alter table insights add column source_kind text",
    `update insights set source_kind = coalesce(${member(dialect, ["source", "source", "kind"])},
       ${member(dialect, ["source", "kind"])}, ${member(dialect, ["kind"])})`,

    `create table dashboards (id ${idColumn(dialect)}, team_id bigint not null, name text, description text not null,
       pinned bigint not null, deleted bigint not null, filters text not null, variables text not null,
       tags text not null, search_text text not null, created_by bigint, last_modified_by bigint,
       created_at_ms bigint not null, updated_at_ms bigint not null, last_modified_at_ms bigint not null)`,
    "create index dashboards_team on dashboards (team_id)",
    // deleted: null for a tile that never was, 0 for one that came back.
    `create table dashboard_tiles (id ${idColumn(dialect)}, dashboard_id bigint not null, insight_id bigint not null,
       deleted bigint, layouts text not null, color text, unique (dashboard_id, insight_id))`,
    "create index dashboard_tiles_insight on dashboard_tiles (insight_id)",

    // access_token: in the clear, because it is shown again. created_at_ms: when it was first enabled.
    `create table insight_sharing (insight_id bigint primary key, team_id bigint not null, enabled bigint not null,
       access_token text not null unique, created_at_ms bigint)`,
    `create table insight_views (insight_id bigint not null, user_id bigint not null, viewed_at_ms bigint not null,
       primary key (insight_id, user_id))`,

    // basis: what besides data_version decides whether the result is still the answer (see query/mod.ts); null when
    // nothing can. Results are made again, so that the old ones are not carried over.
    "drop table query_cache",
    `create table query_cache (cache_key text primary key, team_id bigint not null, result text not null,
       size_bytes bigint not null, data_version bigint not null, basis text, computed_at_ms bigint not null)`,
    "create index query_cache_age on query_cache (computed_at_ms, size_bytes)",
    "create index query_cache_team on query_cache (team_id)",
    // Who calculates a result now, so that no other process does the same.
    `create table query_claims (cache_key text not null, data_version bigint not null, holder text not null,
       computed_at_ms bigint not null, expires_at_ms bigint not null, primary key (cache_key, data_version))`,
    // run_id: new for every calculation under the same id. question: JSON of what is to be calculated.
    `create table query_jobs (team_id bigint not null, id text not null, run_id text not null, cache_key text not null,
       question text not null, state text not null, error_message text, started_at_ms bigint not null,
       picked_up_at_ms bigint, ended_at_ms bigint, expires_at_ms bigint not null, primary key (team_id, id))`,
    "create index query_jobs_key on query_jobs (cache_key)",
    "create index query_jobs_age on query_jobs (expires_at_ms)",
    // Who runs a query under this id must end it, unless it began later.
    `create table query_cancels (team_id bigint not null, query_id text not null, at_ms bigint not null,
       primary key (team_id, query_id))`,
  ],
};

/** A text inside an insight's query. */
function member(dialect: Dialect, path: string[]): string {
  return dialect === "sqlite" ? `json_extract(query, '$.${path.join(".")}')` : `query::json #>> '{${path.join(",")}}'`;
}
