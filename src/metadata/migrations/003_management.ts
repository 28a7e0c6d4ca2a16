import { idColumn, type Migration } from "../../store/mod.ts";

/** Who changed what, and what was asked of products. */
export const management: Migration = {
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

    // JSON list; there is one organisation, so it is what a client wished for and changes nothing.
    "alter table personal_api_keys add column scoped_organizations text not null default '[]'",
    "create index personal_api_keys_user on personal_api_keys (user_id)",
    // settings: JSON object of what a user chose for the pages.
    "alter table users add column settings text not null default '{}'",
    // demo_until_ms: example events are being made; moved on while that goes on, so that it ends with its maker.
    "alter table environments add column demo_until_ms bigint not null default 0",
  ],
};
