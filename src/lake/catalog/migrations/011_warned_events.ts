import type { Migration } from "../../../store/mod.ts";

/** Events that were warned of once and for all. */
export const warnedEvents: Migration = {
  name: "011_warned_events",
  statements: () => [
    `create table warned_events (team_id bigint not null, type text not null, uuid text not null, at_ms bigint not null,
       primary key (team_id, type, uuid))`,
    "create index warned_events_age on warned_events (team_id, at_ms)",
  ],
};
