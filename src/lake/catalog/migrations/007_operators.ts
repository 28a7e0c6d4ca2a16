import type { Migration } from "../../../store/mod.ts";

/** Deletions, checksums of files, and the keys that should have columns. */
export const operators: Migration = {
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
};
