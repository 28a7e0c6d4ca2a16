import { idColumn, type Migration } from "../../store/mod.ts";

/** What a project says to its queries: cohorts, actions, definitions of events and properties. */
export const definitions: Migration = {
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
    // is_set: somebody said so, which detection leaves alone.
    `create table property_definitions (id text primary key, team_id bigint not null, owner text not null,
       group_index bigint not null, name text not null, property_type text, is_set bigint not null,
       description text not null, tags text not null, verified bigint not null, hidden bigint not null,
       search_text text not null, updated_by bigint, created_at_ms bigint not null, updated_at_ms bigint not null,
       unique (team_id, owner, group_index, name))`,

    // Raised by every change of these records that can change answers.
    "create table record_versions (team_id bigint primary key, version bigint not null)",
  ],
};
