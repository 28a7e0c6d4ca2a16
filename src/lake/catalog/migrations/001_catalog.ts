import { idColumn, type Migration } from "../../../store/mod.ts";

/** The lake's catalog: what is committed, who owns what, which files hold it (protocol rules 2, 7, 9, 11, 12). */
export const catalog: Migration = {
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

    // kind: events, log (what is said of persons and groups). state: pending (being written), live, replaced (by
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
};
