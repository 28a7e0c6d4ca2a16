import type { DataOfEvents } from "./eventData.ts";

/** What an import from Umami is told. */
export interface UmamiOptions {
  files: readonly string[];
  /** A server like S3, where files lie in a bucket of it. */
  s3Endpoint: string | undefined;
  /** Only events of this website; null: of all. */
  website: string | null;
  /** What `event_data` says of events; known once it is staged. */
  data: DataOfEvents;
}
