import type { Migration } from "./mod.ts";

/** Projects, environments, keys, insights and cached results. */
export const records: Migration = {
  name: "002_records",
  statements: () => [],
};
