import type { Migration } from "../../../store/mod.ts";
import { catalog } from "./001_catalog.ts";
import { columns } from "./005_columns.ts";
import { operators } from "./007_operators.ts";
import { roster } from "./008_roster.ts";
import { activity } from "./010_activity.ts";
import { warnedEvents } from "./011_warned_events.ts";
import { wide } from "./015_wide.ts";

/** The tables of the catalog. */
export const CATALOG_MIGRATIONS: readonly Migration[] = [
  catalog,
  columns,
  operators,
  roster,
  activity,
  warnedEvents,
  wide,
];
