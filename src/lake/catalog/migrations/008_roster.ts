import type { Migration } from "../../../store/mod.ts";

/** Numbers of persons in the lake's files. */
export const roster: Migration = {
  name: "008_roster",
  statements: () => [
    // 1: events carry the number that their person has in the project's roster (kind 'roster').
    "alter table segments add column is_numbered bigint not null default 0",
  ],
};
