import type { BatchExport, BatchExportRun } from "../../api/schema.ts";
import type { Model } from "./destinations.ts";

export const MODELS: readonly { value: Model; label: string }[] = [
  { value: "events", label: "Events" },
  { value: "persons", label: "Persons" },
  { value: "sessions", label: "Sessions" },
  { value: "hogql", label: "A query in SQL" },
];

export const INTERVALS = [
  { value: "every 5 minutes", label: "5 minutes" },
  { value: "every 15 minutes", label: "15 minutes" },
  { value: "hour", label: "hour" },
  { value: "day", label: "day" },
  { value: "week", label: "week" },
] as const;
export type Interval = (typeof INTERVALS)[number]["value"];

export const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"].map(
  (label, value) => ({
    value,
    label,
  }),
);
export const HOURS = Array.from({ length: 24 }, (_, value) => ({
  value,
  label: `${String(value).padStart(2, "0")}:00`,
}));

/** "Every week, from Monday 03:00 in Europe/Berlin". */
export function rhythmOf({ interval, offset_day, offset_hour, timezone }: BatchExport): string {
  if (interval === null) return "Once";
  const every = `Every ${INTERVALS.find(({ value }) => value === interval)?.label ?? interval}`;
  if (interval !== "day" && interval !== "week") return every;
  const day = interval === "week" ? `${DAYS[offset_day ?? 0]?.label} ` : "";
  return `${every}, from ${day}${HOURS[offset_hour ?? 0]?.label} in ${timezone.replaceAll("_", " ")}`;
}

export const modelLabel = (model: string): string => MODELS.find(({ value }) => value === model)?.label ?? model;

type Status = BatchExportRun["status"];

const STATUS_WORDS: Partial<Record<Status, string>> = {
  Starting: "Waiting",
  Completed: "Done",
  FailedRetryable: "Failed after five tries",
};

export const statusWords = (status: Status): string => STATUS_WORDS[status] ?? status;

const OPEN: ReadonlySet<Status> = new Set(["Starting", "Running"]);

/** Whether it has not ended. */
export const isOpen = (status: Status): boolean => OPEN.has(status);

const FINE: ReadonlySet<Status> = new Set(["Starting", "Running", "Completed", "Cancelled", "ContinuedAsNew"]);

export const isBad = (status: Status): boolean => !FINE.has(status);

/** How much of a run is done; null: nobody knows. */
export function ratioOf({ records_completed: done, records_total_count: all }: BatchExportRun): number | null {
  return done === null || all === null || all === 0 ? null : Math.min(1, done / all);
}
