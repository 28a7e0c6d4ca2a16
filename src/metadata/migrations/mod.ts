import { catalog } from "./001_catalog.ts";
import { records } from "./002_records.ts";
import { management } from "./003_management.ts";
import { insights } from "./004_insights.ts";
import { columns } from "./005_columns.ts";
import { definitions } from "./006_definitions.ts";
import { operators } from "./007_operators.ts";
import { roster } from "./008_roster.ts";
import { access } from "./009_access.ts";
import { activity } from "./010_activity.ts";
import { warnedEvents } from "./011_warned_events.ts";
import { moreAccess } from "./013_access.ts";
import { queries } from "./014_queries.ts";
import { wide } from "./015_wide.ts";
import type { Migration } from "./migration.ts";

export const MIGRATIONS: readonly Migration[] = [
  catalog,
  records,
  management,
  insights,
  columns,
  definitions,
  operators,
  roster,
  access,
  activity,
  warnedEvents,
  moreAccess,
  queries,
  wide,
];
