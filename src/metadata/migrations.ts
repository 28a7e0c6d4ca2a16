import { type Dialect, idColumn, type Migration } from "../store/mod.ts";

/** The tables of records. Those that were released never change. */
export const RECORD_MIGRATIONS: readonly Migration[] = [
  // Projects, environments, keys, insights and cached results.
  {
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
  },
  // Changes and their authors, and intents to use products.
  {
    name: "003_management",
    statements: (dialect) => [
      // team_id: null for what belongs to the organisation alone. user_id: null for the service itself.
      // detail: JSON object without secrets. Rows are only added; their order is that of id.
      `create table activity_log (id ${idColumn(dialect)}, uuid text not null unique, organization_id text not null,
       team_id bigint, user_id bigint, scope text not null, item_id text not null, activity text not null,
       detail text not null, at_ms bigint not null)`,
      "create index activity_log_item on activity_log (scope, item_id)",
      "create index activity_log_team on activity_log (team_id)",

      `create table product_intents (team_id bigint not null, product_type text not null, context text,
       created_at_ms bigint not null, updated_at_ms bigint not null, onboarding_completed_at_ms bigint,
       primary key (team_id, product_type))`,

      // JSON list; there is one organisation, so it changes nothing; answers show it as it was sent.
      "alter table personal_api_keys add column scoped_organizations text not null default '[]'",
      "create index personal_api_keys_user on personal_api_keys (user_id)",
      // settings: JSON object, settings of the pages.
      "alter table users add column settings text not null default '{}'",
      // demo_until_ms: example events are being made until then; their maker moves it on while it lives.
      "alter table environments add column demo_until_ms bigint not null default 0",
    ],
  },
  // Dashboards and their tiles, sharing, views; background queries, and results that know what they depend on.
  {
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
      // The process that calculates a result now, so that no other one does the same.
      `create table query_claims (cache_key text not null, data_version bigint not null, holder text not null,
       computed_at_ms bigint not null, expires_at_ms bigint not null, primary key (cache_key, data_version))`,
      // run_id: new for every calculation under the same id. question: JSON of what is to be calculated.
      `create table query_jobs (team_id bigint not null, id text not null, run_id text not null, cache_key text not null,
       question text not null, state text not null, error_message text, started_at_ms bigint not null,
       picked_up_at_ms bigint, ended_at_ms bigint, expires_at_ms bigint not null, primary key (team_id, id))`,
      "create index query_jobs_key on query_jobs (cache_key)",
      "create index query_jobs_age on query_jobs (expires_at_ms)",
      // The process that runs a query under this id must end it, unless it began later.
      `create table query_cancels (team_id bigint not null, query_id text not null, at_ms bigint not null,
       primary key (team_id, query_id))`,
    ],
  },
  // Objects that queries of a project use: cohorts, actions, definitions of events and properties.
  {
    name: "006_definitions",
    statements: (dialect) => [
      // kind: cohort, action. content: JSON object, by kind.
      `create table project_objects (id ${idColumn(dialect)}, team_id bigint not null, kind text not null,
       name text, description text not null, content text not null, deleted bigint not null, search_text text not null,
       created_by bigint, created_at_ms bigint not null, updated_at_ms bigint not null)`,
      "create index project_objects_team on project_objects (team_id, kind)",
      // The list of a static cohort; person_id: as it was when it was put there.
      `create table cohort_persons (cohort_id bigint not null, person_id text not null,
       primary key (cohort_id, person_id))`,

      `create table event_definitions (id text primary key, team_id bigint not null, name text not null,
       description text not null, tags text not null, verified bigint not null, hidden bigint not null,
       search_text text not null, updated_by bigint, created_at_ms bigint not null, last_seen_at_ms bigint,
       updated_at_ms bigint not null, unique (team_id, name))`,
      // owner: event, person, group; group_index: -1 but for groups. property_type: null where nothing is known.
      // is_set: a user has set the type, and detection leaves it.
      `create table property_definitions (id text primary key, team_id bigint not null, owner text not null,
       group_index bigint not null, name text not null, property_type text, is_set bigint not null,
       description text not null, tags text not null, verified bigint not null, hidden bigint not null,
       search_text text not null, updated_by bigint, created_at_ms bigint not null, updated_at_ms bigint not null,
       unique (team_id, owner, group_index, name))`,

      // Raised by every change of these records that can change answers.
      "create table record_versions (team_id bigint primary key, version bigint not null)",
    ],
  },
  // Rights on insights.
  {
    name: "009_access",
    // access: JSON object, `Access`; null is the default.
    statements: () => ["alter table insights add column access text"],
  },
  // Rights on other objects.
  {
    name: "013_access",
    // access: JSON object, `Access`; null is the default.
    statements: () =>
      ["dashboards", "project_objects", "environments"].map((table) => `alter table ${table} add column access text`),
  },
  // Background queries in turns by project, and long results in pieces.
  {
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
  },
  // How many persons cohorts by filters have.
  {
    name: "016_cohort_counts",
    statements: () => [
      // When the next calculation is due; of one in hand, until when it has to end. Null: never, as of lists of persons.
      ...["person_count", "counted_at_ms", "count_due_at_ms", "count_started_at_ms"].map(
        (column) => `alter table project_objects add column ${column} bigint`,
      ),
      "alter table project_objects add column count_errors bigint not null default 0",
      "create index project_objects_due on project_objects (count_due_at_ms) where count_due_at_ms is not null",
      `update project_objects set count_due_at_ms = 0 where kind = 'cohort' and content not like '%"isStatic":true%'`,
    ],
  },
  // Passwords, sessions, and links that open a first one.
  {
    name: "018_login",
    statements: () => [
      // hash: argon2id in its PHC form.
      "create table passwords (user_id bigint primary key, hash text not null, set_at_ms bigint not null)",
      // hash: "sha256$<hex>" of what the cookie holds. id: shown in lists. host: the name it was made on, without a port.
      // seen_at_ms: of the last request, to the minute. expires_at_ms: whatever happens.
      `create table sessions (id text primary key, hash text not null unique, user_id bigint not null,
       host text not null, address text, user_agent text not null, created_at_ms bigint not null,
       seen_at_ms bigint not null, expires_at_ms bigint not null)`,
      "create index sessions_user on sessions (user_id)",
      // hash: as that of a session.
      `create table login_links (hash text primary key, user_id bigint not null, expires_at_ms bigint not null,
       used_at_ms bigint)`,
    ],
  },
  // Links to dashboards, too, and text on them.
  {
    name: "019_pages",
    statements: (dialect) => [
      // kind: insight, dashboard. access_token: in the clear, because it is shown again. viewer_dates: its viewers may ask
      // for other dates. created_at_ms: when it was first enabled.
      `create table shared_links (kind text not null, item_id bigint not null, team_id bigint not null,
       enabled bigint not null, access_token text not null unique, viewer_dates bigint not null, created_at_ms bigint,
       primary key (kind, item_id))`,
      "create index shared_links_team on shared_links (team_id)",
      `insert into shared_links (kind, item_id, team_id, enabled, access_token, viewer_dates, created_at_ms)
       select 'insight', insight_id, team_id, enabled, access_token, 0, created_at_ms from insight_sharing`,
      "drop table insight_sharing",
      ...withoutInsight(dialect),
      // Of a tile without an insight: its text in Markdown, and its authors.
      "alter table dashboard_tiles add column body text",
      ...["created_by", "last_modified_by", "last_modified_at_ms"].map(
        (column) => `alter table dashboard_tiles add column ${column} bigint`,
      ),
    ],
  },
  // How often what is defined comes, and is asked for.
  {
    name: "020_definition_counts",
    statements: () => [
      "alter table environments add column definitions_counted_at_ms bigint not null default 0",
      // Null: not counted yet.
      "alter table event_definitions add column volume_30_day bigint",
      "alter table event_definitions add column query_usage_30_day bigint",
      "alter table property_definitions add column query_usage_30_day bigint",
    ],
  },
  // Batch exports, their runs, backfills and logs.
  {
    name: "021_batch_exports",
    statements: (dialect) => [
      // kind: scheduled, download (a file that was asked for once; it has no cycle). config: JSON object; secrets: its secret
      // members, encrypted, or ''. cycle: how often, as the API names it. filters, options: JSON.
      // next_from_ms: where the next interval begins; null for downloads.
      `create table batch_exports (id text primary key, team_id bigint not null, kind text not null, name text not null,
       model text not null, destination text not null, config text not null, secrets text not null,
       cycle text, timezone text not null, offset_day bigint, offset_hour bigint, hogql_query text, filters text not null,
       options text not null, paused bigint not null, deleted bigint not null, start_at_ms bigint, end_at_ms bigint,
       next_from_ms bigint, created_by bigint, created_at_ms bigint not null, updated_at_ms bigint not null,
       last_paused_at_ms bigint)`,
      "create index batch_exports_team on batch_exports (team_id)",
      // backfill_id: '' for those of the schedule. from_ms: null for the beginning. due_at_ms: when it is tried (again).
      // holder, epoch, lease_until_ms: the exporter that has it; the epoch keeps one that lost it from writing its end.
      `create table batch_export_runs (id text primary key, export_id text not null, team_id bigint not null,
       backfill_id text not null, from_ms bigint, to_ms bigint not null, status text not null,
       records_completed bigint, records_failed bigint, records_total bigint, bytes bigint, parts bigint not null,
       latest_error text, attempts bigint not null, due_at_ms bigint not null, cancel_asked bigint not null,
       holder text, epoch bigint not null, lease_until_ms bigint not null,
       created_at_ms bigint not null, updated_at_ms bigint not null, finished_at_ms bigint,
       unique (export_id, backfill_id, to_ms))`,
      "create index batch_export_runs_due on batch_export_runs (due_at_ms) where finished_at_ms is null",
      // upto_ms: where its last run ends. is_whole: one run of the whole range. next_from_ms: where its next run begins; null for the
      // beginning of time. has_more: 0 once all its runs are made.
      `create table batch_export_backfills (id text primary key, export_id text not null, team_id bigint not null,
       start_at_ms bigint, end_at_ms bigint, upto_ms bigint not null, is_whole bigint not null, status text not null,
       total_runs bigint, next_from_ms bigint, has_more bigint not null, created_at_ms bigint not null,
       updated_at_ms bigint not null, finished_at_ms bigint)`,
      "create index batch_export_backfills_export on batch_export_backfills (export_id)",
      `create table batch_export_logs (id ${idColumn(dialect)}, team_id bigint not null, export_id text not null,
       run_id text not null, level text not null, message text not null, at_ms bigint not null)`,
      "create index batch_export_logs_run on batch_export_logs (run_id)",
      "create index batch_export_logs_export on batch_export_logs (export_id)",
    ],
  },
  // Imports of history.
  {
    name: "022_imports",
    statements: () => [
      // id: a uuid, which the events of an import carry. counts: JSON object.
      `create table imports (id text primary key, team_id bigint not null, source text not null, origin text not null,
       mapping_hash text not null, state text not null, counts text not null, error text, created_by bigint,
       created_at_ms bigint not null, updated_at_ms bigint not null, finished_at_ms bigint)`,
      "create index imports_team on imports (team_id, source, origin)",
    ],
  },
  // Members: invitations, roles, and levels for each of them.
  {
    name: "030_members",
    statements: (dialect) => [
      // removed_at_ms: the user is a member no more; the row stays, for what it made. level_at_ms: when the level changed.
      "alter table users add column removed_at_ms bigint",
      "alter table users add column level_at_ms bigint",
      // hash: "sha256$<hex>" of the token in the link.
      `create table invites (id text primary key, hash text not null unique, organization_id text not null,
       email text not null, first_name text not null, level text not null, created_by bigint not null,
       created_at_ms bigint not null, expires_at_ms bigint not null)`,
      // name_key: the name in lower case.
      `create table roles (id text primary key, organization_id text not null, name text not null,
       name_key text not null unique, created_by bigint, created_at_ms bigint not null)`,
      `create table role_memberships (id text primary key, role_id text not null, user_id bigint not null,
       joined_at_ms bigint not null, unique (role_id, user_id))`,
      "create index role_memberships_user on role_memberships (user_id)",
      // resource: insight, dashboard, cohort, action, project (an environment). resource_id: 0 for all of the kind.
      // user_id, role_id: of whom; 0 and '' for all members.
      `create table access_controls (team_id bigint not null, resource text not null, resource_id bigint not null,
       user_id bigint not null, role_id text not null, level text not null, set_by bigint not null,
       created_at_ms bigint not null, updated_at_ms bigint not null,
       primary key (team_id, resource, resource_id, user_id, role_id))`,
      "create index access_controls_user on access_controls (user_id)",
      "create index access_controls_role on access_controls (role_id)",
      ...levelsOfColumns(dialect),
    ],
  },
  // Notes about a time, on charts.
  {
    name: "034_annotations",
    statements: (dialect) => [
      // scope: dashboard_item (an insight), dashboard, project, organization. creation_type: USR, GIT. hidden: null is no.
      `create table annotations (id ${idColumn(dialect)}, team_id bigint not null, content text, date_marker_ms bigint,
       scope text not null, creation_type text not null, insight_id bigint, dashboard_id bigint, hidden bigint,
       deleted bigint not null, search_text text not null, created_by bigint, created_at_ms bigint not null,
       updated_at_ms bigint not null)`,
      "create index annotations_team on annotations (team_id, date_marker_ms)",
      "create index annotations_scope on annotations (scope, date_marker_ms)",
    ],
  },
  // Alerts, subscriptions, and messages on their way out (src/alerts/DESIGN.md).
  {
    name: "036_alerts",
    statements: (dialect) => [
      // threshold, config, detector, subscribed_users: JSON. webhook_secret: encrypted, or ''. told_state: the last state that
      // its receivers were told. checked_version: of the data, at its last check. epoch: grows with each claim and change.
      `create table alerts (id text primary key, team_id bigint not null, insight_id bigint not null, name text not null,
       enabled bigint not null, condition text not null, threshold text not null, config text not null, detector text,
       calculation_interval text not null, skip_weekend bigint not null, subscribed_users text not null,
       webhook_url text, webhook_secret text not null, state text not null, told_state text not null,
       snoozed_until_ms bigint, last_value double precision, last_checked_at_ms bigint, last_notified_at_ms bigint,
       next_check_at_ms bigint not null, checked_version bigint not null, epoch bigint not null,
       claimed_until_ms bigint not null, created_by bigint, created_at_ms bigint not null)`,
      "create index alerts_team on alerts (team_id, insight_id)",
      "create index alerts_due on alerts (next_check_at_ms) where enabled = 1",
      // value: null where there is none, or several. breaches: JSON, a sentence each.
      `create table alert_checks (id ${idColumn(dialect)}, team_id bigint not null, alert_id text not null,
       state text not null, value double precision, breaches text not null, error text, notified bigint not null,
       at_ms bigint not null)`,
      "create index alert_checks_alert on alert_checks (alert_id, id)",
      // weekdays: JSON list of 1 (Monday) to 7, or null. set_position: which of them in a month, -1 the last.
      // deliveries_max: after so many it ends. next_at_ms: null where it has ended.
      `create table subscriptions (id ${idColumn(dialect)}, team_id bigint not null, insight_id bigint,
       dashboard_id bigint, title text not null, target_type text not null, target_value text not null,
       webhook_secret text not null, frequency text not null, every bigint not null, weekdays text,
       set_position bigint, deliveries_max bigint, deliveries_made bigint not null, start_at_ms bigint not null,
       until_at_ms bigint, next_at_ms bigint, epoch bigint not null, claimed_until_ms bigint not null,
       deleted bigint not null, created_by bigint, created_at_ms bigint not null)`,
      "create index subscriptions_team on subscriptions (team_id)",
      "create index subscriptions_due on subscriptions (next_at_ms) where deleted = 0",
      // id: the key by which a receiver knows a message that comes twice. kind: alert, subscription. channel: webhook, email.
      // receiver: whose queue it is in. message: JSON. secret: what it is signed with, encrypted for source_id, or ''.
      `create table deliveries (id text primary key, team_id bigint not null, kind text not null, source_id text not null,
       title text not null, channel text not null, target text not null, receiver text not null, message text not null,
       secret text not null, state text not null, attempts bigint not null, latest_error text, due_at_ms bigint not null,
       epoch bigint not null, claimed_until_ms bigint not null, created_at_ms bigint not null, ended_at_ms bigint)`,
      "create index deliveries_open on deliveries (receiver, id) where ended_at_ms is null",
      "create index deliveries_team on deliveries (team_id, id)",
      "create index deliveries_ended on deliveries (ended_at_ms)",
    ],
  },
  {
    name: "044_askers",
    statements: () => [
      // How many asked for it and have not ended it.
      "alter table query_jobs add column askers bigint not null default 1",
    ],
  },
  {
    name: "045_link_annotations",
    statements: () => [
      // Whether those who open the link see the annotations on its charts.
      "alter table shared_links add column annotations bigint not null default 1",
    ],
  },
  {
    name: "053_query_workers",
    statements: () => [
      // The process that took a background query, and so has the files of its project near.
      "alter table query_jobs add column worker text",
    ],
  },
  {
    name: "056_query_users",
    statements: () => [
      // Who asked for a background query and has not ended it: ids with a space behind each.
      "alter table query_jobs add column users text not null default ''",
    ],
  },
  // A person that is deleted is looked for in all of them.
  {
    name: "059_cohort_persons_by_person",
    statements: () => ["create index cohort_persons_person on cohort_persons (person_id)"],
  },
  // An export that runs each five minutes has 100,000 runs a year; its pages show the newest.
  {
    name: "062_batch_export_runs_by_time",
    statements: () => ["create index batch_export_runs_made on batch_export_runs (export_id, created_at_ms, id)"],
  },
];

/** Levels for all members were a column of each record before. */
function levelsOfColumns(dialect: Dialect): string[] {
  const of = (name: string) =>
    dialect === "sqlite" ? `json_extract(access, '$.${name}')` : `access::json->>'${name}'`;
  const asNumber = (name: string) => `cast(${of(name)} as bigint)`;
  const sources = [
    { table: "insights", team: "team_id", resource: "'insight'" },
    { table: "dashboards", team: "team_id", resource: "'dashboard'" },
    { table: "project_objects", team: "team_id", resource: "kind" },
    { table: "environments", team: "id", resource: "'project'" },
  ];
  return sources.flatMap(({ table, team, resource }) => [
    `insert into access_controls (team_id, resource, resource_id, user_id, role_id, level, set_by, created_at_ms,
     updated_at_ms) select ${team}, ${resource}, id, 0, '', ${of("level")}, ${asNumber("setBy")},
     ${asNumber("createdAtMs")}, ${asNumber("updatedAtMs")} from ${table} where access is not null`,
    `alter table ${table} drop column access`,
  ]);
}

/** Lets tiles be without an insight. SQLite cannot change a column, so the table is made again. */
function withoutInsight(dialect: Dialect): string[] {
  if (dialect === "postgres") return ["alter table dashboard_tiles alter column insight_id drop not null"];
  return [
    "alter table dashboard_tiles rename to insight_tiles",
    `create table dashboard_tiles (id ${idColumn(dialect)}, dashboard_id bigint not null, insight_id bigint,
     deleted bigint, layouts text not null, color text, unique (dashboard_id, insight_id))`,
    `insert into dashboard_tiles (id, dashboard_id, insight_id, deleted, layouts, color)
     select id, dashboard_id, insight_id, deleted, layouts, color from insight_tiles`,
    "drop table insight_tiles",
    "create index dashboard_tiles_insight on dashboard_tiles (insight_id)",
  ];
}

/** A text inside an insight's query. */
function member(dialect: Dialect, path: string[]): string {
  return dialect === "sqlite" ? `json_extract(query, '$.${path.join(".")}')` : `query::json #>> '{${path.join(",")}}'`;
}
