import type { DataOfEvents } from "./eventData.ts";

/** What an import from Umami is told. */
export interface UmamiOptions {
  files: readonly string[];
  /** Only events of this website; null: of all. */
  website: string | null;
  /** What `event_data` says of events. */
  data: DataOfEvents;
}
