import { idColumn, type Migration } from "../../store/mod.ts";

/** The tables of the catalog. Those that were released never change. */
export const CATALOG_MIGRATIONS: readonly Migration[] = [
  // The lake's catalog: what is committed, which worker owns which partition, which files hold it (protocol rules 2, 7, 9, 11, 12).
  {
    name: "001_catalog",
    statements: (dialect) => [
      // One row: every commit that changes files raises it; pins and files refer to it.
      // duplicates_met: copies that compaction found in stored rows; there should be none.
      "create table catalog_state (id bigint primary key, version bigint not null, duplicates_met bigint not null)",
      "insert into catalog_state (id, version, duplicates_met) values (1, 0, 0)",
      "create table generations (generation bigint primary key, partitions bigint not null, state text not null, opened_at_ms bigint not null)",
      "create table streams (generation bigint not null, lane text not null, created text not null, primary key (generation, lane))",
      "create table owners (partition_id bigint primary key, owner text, epoch bigint not null)",
      `create table positions (generation bigint not null, lane text not null, partition_id bigint not null,
       position bigint not null, last_ms bigint not null, attempts bigint not null, in_hand bigint, poisoned text not null,
       primary key (generation, lane, partition_id))`,
      "create table commits (id text primary key, version bigint not null, at_ms bigint not null)",
      "create index commits_version on commits (version)",

      // kind: events, log (facts about persons and groups). state: pending (being written), live, replaced (by
      // compaction), dead (may be unlinked). squashed_through: the catalog's version whose merges the rows follow already.
      `create table segments (id text primary key, kind text not null, state text not null, writer text not null,
       level bigint not null, squashed_through bigint not null,
       team_id bigint, generation bigint not null, registered_at_ms bigint not null,
       live_from bigint, replaced_at bigint,
       row_count bigint not null, size_bytes bigint not null, min_ms bigint not null, max_ms bigint not null)`,
      "create index segments_state on segments (state)",
      // epoch: the writer's right while pending; -1 where compaction wrote it.
      "create table segment_partitions (segment_id text not null, partition_id bigint not null, epoch bigint not null, primary key (segment_id, partition_id))",
      `create table segment_teams (segment_id text not null, team_id bigint not null, row_start bigint not null,
       row_count bigint not null, min_ms bigint not null, max_ms bigint not null, primary key (segment_id, team_id))`,
      "create index segment_teams_team on segment_teams (team_id)",
      // merges_version: of the last commit that merged persons of the project.
      "create table project_versions (team_id bigint primary key, version bigint not null, merges_version bigint not null)",

      // What the identity actor decides from: one row a distinct_id that took part in a merge. moves: JSON list, oldest first.
      `create table identities (team_id bigint not null, person_id text not null, distinct_id text not null,
       survivor_id text not null, is_identified bigint not null, moves text not null, primary key (team_id, person_id))`,
      "create index identities_survivor on identities (team_id, survivor_id)",
      // Stored events whose merge is not settled: they count as queued. sequence: of the copy on the identity lane.
      `create table merging (generation bigint not null, partition_id bigint not null, sequence bigint not null,
       team_id bigint not null, events bigint not null, primary key (generation, sequence, team_id))`,
      `create table group_types (team_id bigint not null, group_type text not null, group_index bigint not null,
       primary key (team_id, group_type), unique (team_id, group_index))`,
      // day: UTC day number of acceptance. kind: billable, historical, historical_recent (of the historical ones, those
      // younger than 48 hours; never the charge).
      `create table usage_counts (team_id bigint not null, day bigint not null, kind text not null, events bigint not null,
       primary key (team_id, day, kind))`,
      // What an actor keeps of a distinct_id.
      `create table actor_states (actor text not null, team_id bigint not null, distinct_id text not null, state text not null,
       primary key (actor, team_id, distinct_id))`,
      // Messages of actors on their way out, in the order of their source.
      `create table outbox (id ${idColumn(dialect)}, message_id text not null unique, team_id bigint not null,
       partition_id bigint not null, target text not null, body text not null, attempts bigint not null,
       due_at_ms bigint not null, created_at_ms bigint not null)`,
      "create index outbox_due on outbox (partition_id, due_at_ms)",

      "create table pins (id text primary key, version bigint not null, expires_at_ms bigint not null)",
      "create table leases (name text primary key, holder text not null, expires_at_ms bigint not null)",

      // outcome: stored, duplicate, dropped (cause says why), dead_letter (cause = reason).
      `create table settled_counts (team_id bigint not null, outcome text not null, cause text not null,
       events bigint not null, primary key (team_id, outcome, cause))`,
      `create table dead_letters (id ${idColumn(dialect)}, team_id bigint not null, generation bigint not null, lane text not null,
       partition_id bigint not null, sequence bigint not null, frame_index bigint not null,
       reason text not null, detail text not null, event text not null, at_ms bigint not null, redriven_at_ms bigint)`,
      "create index dead_letters_team on dead_letters (team_id)",
      // hour: number of the hour since 1970 that a row counts in. details: JSON object of the newest.
      `create table ingestion_warnings (id ${idColumn(dialect)}, team_id bigint not null, type text not null,
       warning_key text not null, hour bigint not null, source text not null, details text not null,
       occurrences bigint not null, first_at_ms bigint not null, last_at_ms bigint not null,
       unique (team_id, type, warning_key, hour))`,
      "create index ingestion_warnings_age on ingestion_warnings (team_id, last_at_ms)",
    ],
  },
  // Columns that properties have in the lake's files.
  {
    name: "005_columns",
    statements: () => [
      // A project's layout: it only grows. id: from 0; key: exact; type: of the column.
      `create table property_columns (team_id bigint not null, id bigint not null, key text not null, type text not null,
       primary key (team_id, id), unique (team_id, key))`,
      // columns: a file of one project holds those of its layout with an id below this.
      "alter table segments add column columns bigint not null default 0",
      // exceptions: JSON list of the ids whose key some rows have outside the column.
      "alter table segments add column exceptions text not null default '[]'",
    ],
  },
  // Deletions, checksums of files, and the keys that should have columns.
  {
    name: "007_operators",
    statements: () => [
      // A deletion. version: of the catalog when it was ordered. person_id: null for a whole project. with_events: 0 where
      // the events of a person stay. generation, sequences: what was accepted then, by lane and partition (JSON list of
      // [lane, partition, sequence]). erased_at_ms: when nothing was left of it.
      `create table erasures (version bigint not null, team_id bigint not null, person_id text, with_events bigint not null,
       generation bigint not null, sequences text not null, requested_at_ms bigint not null, erased_at_ms bigint,
       primary key (version, team_id))`,
      "create index erasures_team on erasures (team_id)",
      // Every id whose rows were the person's then.
      `create table erased_persons (version bigint not null, team_id bigint not null, person_id text not null,
       primary key (version, person_id))`,
      "create index erased_persons_team on erased_persons (team_id, version)",
      // erased_through: what was deleted up to this version of the catalog is not in the file any more.
      "alter table segments add column erased_through bigint not null default 0",
      // checksum: of all files of the segment; '' where it was written before there were any.
      "alter table segments add column checksum text not null default ''",
      // Environments that were deleted before there were erasures: after all that is live now.
      "update catalog_state set version = version + 1 where id = 1",
      `insert into erasures (version, team_id, with_events, generation, sequences, requested_at_ms)
       select c.version, e.id, 1, 0, '[]', e.deleted_at_ms from environments e join catalog_state c on c.id = 1
       where e.deleted_at_ms is not null`,

      // used_day: UTC day number on which a query last read the key.
      `create table property_uses (team_id bigint not null, key text not null, used_day bigint not null,
       primary key (team_id, key))`,
      // type: of the column; null for the one that most values have.
      `create table property_pins (team_id bigint not null, key text not null, type text,
       primary key (team_id, key))`,
    ],
  },
  // Numbers of persons in the lake's files.
  {
    name: "008_roster",
    statements: () => [
      // 1: events carry the number that their person has in the project's roster (kind 'roster').
      "alter table segments add column is_numbered bigint not null default 0",
    ],
  },
  // What persons did by day, beside the lake's files.
  {
    name: "010_activity",
    statements: () => [
      // The zone whose days `<id>.activity.parquet` tells; null where there is no such file.
      "alter table segments add column activity_zone text",
    ],
  },
  // Events that were warned of once and for all.
  {
    name: "011_warned_events",
    statements: () => [
      `create table warned_events (team_id bigint not null, type text not null, uuid text not null, at_ms bigint not null,
       primary key (team_id, type, uuid))`,
      "create index warned_events_age on warned_events (team_id, at_ms)",
    ],
  },
  // What compaction must know of a file before it works on it.
  {
    name: "015_wide",
    statements: () => [
      // Text of the rows that hold much of it (`writing/textSizes.ts`).
      "alter table segments add column wide_bytes bigint not null default 0",
      // Jobs that failed of the file, or during which the process died; those that are under way count too.
      "alter table segments add column failures bigint not null default 0",
    ],
  },
  // Events in order of person, beside the lake's files.
  {
    name: "017_journeys",
    statements: () => [
      // 1: there is `<id>.journey`; 0: the file cannot have one; null: it was written before there were any.
      "alter table segments add column has_journey bigint",
    ],
  },
  // Deletions of what an import brought.
  {
    name: "023_undone_imports",
    statements: () => [
      // import_id: of the events that are meant, person_id is '' then; null for persons and projects.
      "alter table erasures add column import_id text",
    ],
  },
  // What the figures of events were (src/health/DESIGN.md).
  {
    name: "024_health_history",
    statements: () => [
      // step_ms: a minute or an hour. samples: minutes of it with figures; problems: those that could not be read, and
      // problem why, of the newest. workers, disk_free_bytes: the lowest; files, file_bytes: live ones at the end.
      `create table health_samples (step_ms bigint not null, at_ms bigint not null, samples bigint not null,
       problems bigint not null, problem text, workers bigint, files bigint, file_bytes bigint, disk_free_bytes bigint,
       primary key (step_ms, at_ms))`,
      // team_id 0: all projects. step_ms 0: the newest row, at_ms 0. Counts are those at the end, the others the highest.
      `create table health_figures (team_id bigint not null, step_ms bigint not null, at_ms bigint not null,
       accepted bigint not null, queued bigint not null, stored bigint not null, duplicates bigint not null,
       dropped bigint not null, dead_letters bigint not null, queued_max bigint not null, live_lag_ms bigint not null,
       history_lag_ms bigint not null, overflow_lag_ms bigint not null, identity_lag_ms bigint not null,
       primary key (team_id, step_ms, at_ms))`,
      "create index health_figures_age on health_figures (step_ms, at_ms)",
    ],
  },
  // Events in order of person a second time, whole.
  {
    name: "025_person_rows",
    statements: () => [
      // 1: there is `<id>.persons.parquet`; 0: the file has none; null: it was written before there were any.
      "alter table segments add column has_person_rows bigint",
    ],
  },
  // How long commits take, for the metrics.
  {
    name: "048_commit_times",
    statements: () => [
      // step: index in `COMMIT_STEPS_MS`.
      "create table commit_times (step bigint primary key, commits bigint not null, sum_ms bigint not null)",
    ],
  },
  // `weir partitions set`.
  {
    name: "049_wanted_partitions",
    statements: () => [
      // Of all generations after this one; null: as WEIR_PARTITIONS says.
      "alter table generations add column wanted_partitions bigint",
    ],
  },
  // Of most nodes the survivor is the node itself, which is found by its own id.
  {
    name: "050_moved_identities",
    statements: () => [
      "drop index identities_survivor",
      "create index identities_moved on identities (team_id, survivor_id) where survivor_id <> person_id",
    ],
  },
  // Several compactors at once.
  {
    name: "052_compaction_jobs",
    statements: () => [
      // A job of a compactor that is under way: its claim on files. holder: the process. kind: what is done. It ends with the
      // job, or when nobody has renewed it until expires_at_ms.
      `create table compaction_jobs (id text primary key, holder text not null, kind text not null,
       began_at_ms bigint not null, expires_at_ms bigint not null)`,
      // is_input: 1 where the job may replace the file, which no other job has then; 0 where it only reads it.
      `create table compaction_files (job_id text not null, segment_id text not null, is_input bigint not null,
       primary key (job_id, segment_id))`,
      "create index compaction_files_segment on compaction_files (segment_id)",
      // What one compactor noted for itself before.
      "delete from leases where name like 'tried/%'",
    ],
  },
  // Deletions of groups.
  {
    name: "054_erased_groups",
    statements: () => [
      // kind: project, person, import, group. subject: the id of the person or of the import, the key of the group; null for
      // a project. group_type, group_index: of a group, whose events stay (with_events 0).
      "alter table erasures add column kind text not null default 'person'",
      "alter table erasures add column subject text",
      `update erasures set subject = coalesce(import_id, person_id),
       kind = case when person_id is null then 'project' when import_id is null then 'person' else 'import' end`,
      "alter table erasures drop column person_id",
      "alter table erasures drop column import_id",
      "alter table erasures add column group_type text",
      "alter table erasures add column group_index bigint",
    ],
  },
  // A merge of two new ids is one row.
  {
    name: "055_identities_with_survivor",
    statements: () => [
      // Of a node that was moved: its survivor, where that has no row of its own. survivor_identified: as of when this row was written;
      // a flag only grows, so what any row says counts.
      "alter table identities add column survivor_distinct_id text",
      "alter table identities add column survivor_identified bigint not null default 0",
    ],
  },
  // Failures of compaction, for operators.
  {
    name: "057_compaction_failures",
    statements: () => [
      // kind: of a job, or `look` and `collect`. The time and the error are those of the last one.
      `create table compaction_failures (kind text primary key, failures bigint not null, last_at_ms bigint not null,
       last_error text not null)`,
    ],
  },
  // An index of half the size: a commit of many merges writes most of its pages.
  {
    name: "058_moved_identities_by_start",
    statements: () => [
      "drop index identities_moved",
      "create index identities_moved on identities (team_id, substr(survivor_id, 1, 13)) where survivor_id <> person_id",
    ],
  },
  // Deletions stay on record for good: what looks for a few of them must not go through all.
  {
    name: "060_erasures_by_state",
    statements: () => [
      "drop index erasures_team",
      "create index erasures_team on erasures (team_id, version)",
      "create index erasures_unfinished on erasures (version, team_id) where erased_at_ms is null",
      "create index erasures_projects on erasures (team_id) where kind = 'project'",
    ],
  },
  // Dead letters have long rows: each look at the figures counts them, and the deletion of a person looks for its own.
  {
    name: "061_indexed_dead_letters",
    statements: () => [
      "create index dead_letters_waiting on dead_letters (team_id, id) where redriven_at_ms is null",
      // distinct_id: of the event; null where it could not be read, and in rows of before.
      "alter table dead_letters add column distinct_id text",
      "create index dead_letters_id on dead_letters (team_id, distinct_id)",
    ],
  },
  // Tells one Weir from another: a place of backups is of one.
  {
    name: "063_weir_id",
    statements: (dialect) => [
      "alter table catalog_state add column weir_id text",
      `update catalog_state set weir_id = ${dialect === "sqlite" ? "lower(hex(randomblob(16)))" : "replace(gen_random_uuid()::text, '-', '')"}`,
    ],
  },
];
