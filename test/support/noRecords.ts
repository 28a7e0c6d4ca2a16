import type { QueryRecords } from "../../src/query/mod.ts";

/** A project without definitions, cohorts and actions. */
export const NO_RECORDS: QueryRecords = {
  propertyType: () => null,
  cohort: () => null,
  cohortNamed: () => null,
  action: () => null,
  actionNamed: () => null,
};
