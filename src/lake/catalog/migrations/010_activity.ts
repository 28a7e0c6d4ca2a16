import type { Migration } from "../../../store/mod.ts";

/** What persons did by day, beside the lake's files. */
export const activity: Migration = {
  name: "010_activity",
  statements: () => [
    // The zone whose days `<id>.activity.parquet` tells; null where there is no such file.
    "alter table segments add column activity_zone text",
  ],
};
