import type { Migration } from "../../../store/mod.ts";

/** Columns that properties have in the lake's files. */
export const columns: Migration = {
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
};
