import type { Migration } from "../../store/mod.ts";
import { records } from "./002_records.ts";
import { management } from "./003_management.ts";
import { insights } from "./004_insights.ts";
import { definitions } from "./006_definitions.ts";
import { access } from "./009_access.ts";
import { moreAccess } from "./013_access.ts";
import { queries } from "./014_queries.ts";

/** The tables of records. */
export const RECORD_MIGRATIONS: readonly Migration[] = [
  records,
  management,
  insights,
  definitions,
  access,
  moreAccess,
  queries,
];
