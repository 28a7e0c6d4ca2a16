import { idColumn, type Migration } from "../../store/mod.ts";

/** Projects, environments, keys, insights and cached results. */
export const records: Migration = {
  name: "002_records",
  statements: (dialect) => [
    `create table organizations (id text primary key, name text not null, slug text not null,
       created_at_ms bigint not null, updated_at_ms bigint not null)`,
    `create table users (id ${idColumn(dialect)}, uuid text not null unique, distinct_id text not null unique,
       organization_id text not null, level text not null, first_name text not null, last_name text not null,
       email text not null, is_email_verified bigint not null, hedgehog_config text, role_at_organization text not null,
       current_environment_id bigint, created_at_ms bigint not null)`,

    // The one sequence of environment ids; a project takes the id of its first environment, so neither ever collides.
    // A row instead of the store's own sequence: it has no gaps after a rollback (the first id is 1, always), and its
    // lock makes the first start of several processes take turns.
    "create table sequences (name text primary key, value bigint not null)",
    "insert into sequences (name, value) values ('environments', 0)",
    `create table projects (id bigint primary key, organization_id text not null, name text not null,
       created_at_ms bigint not null, updated_at_ms bigint not null, deleted_at_ms bigint)`,
    // settings: JSON object of the fields that differ from their default (see manage/environments/fields.ts).
    `create table environments (id bigint primary key, uuid text not null unique, project_id bigint not null,
       api_token text not null unique, name text not null, timezone text not null, week_start_day bigint,
       settings text not null, created_at_ms bigint not null, updated_at_ms bigint not null, deleted_at_ms bigint)`,
    "create index environments_project on environments (project_id)",

    // secure_value: "sha256$<hex>". scopes and scoped_teams: JSON lists; no scoped team means every project.
    `create table personal_api_keys (id text primary key, user_id bigint not null, label text not null,
       secure_value text not null unique, mask_value text not null, scopes text not null, scoped_teams text not null,
       level text not null, created_at_ms bigint not null, last_used_at_ms bigint, last_rolled_at_ms bigint,
       revoked_at_ms bigint)`,

    // search_text: what a search looks through, lower-cased by us because SQLite folds ASCII only.
    `create table insights (id ${idColumn(dialect)}, team_id bigint not null, short_id text not null,
       name text, derived_name text, description text, filters text not null, query text, sort_order bigint,
       deleted bigint not null, saved bigint not null, favorited bigint not null, is_sample bigint not null,
       tags text not null, search_text text not null, created_by bigint, last_modified_by bigint,
       created_at_ms bigint not null, updated_at_ms bigint not null, last_modified_at_ms bigint not null,
       unique (team_id, short_id))`,

    // data_version: of the project's stored events when the calculation began.
    `create table query_cache (cache_key text primary key, team_id bigint not null, result text not null,
       size_bytes bigint not null, data_version bigint not null, computed_at_ms bigint not null)`,
    "create index query_cache_age on query_cache (computed_at_ms, size_bytes)",
    "create index query_cache_team on query_cache (team_id)",
  ],
};
