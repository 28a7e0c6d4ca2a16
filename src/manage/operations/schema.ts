import { type TSchema, Type } from "@sinclair/typebox";
import { HEALTH_STEPS, type StoredWarning } from "../../lake/mod.ts";
import {
  anyObject,
  ERROR,
  integer,
  media,
  nullable,
  type Operation,
  object,
  oneOf,
  TIME,
  text,
} from "../../openapi/mod.ts";
import { LANES } from "../../types/mod.ts";
import { shape } from "../resource/shape.ts";

const AGE = Type.Number({ description: "Age of the oldest event that is not settled, in milliseconds." });

const LANE_QUEUE = object("LaneQueue", {
  queued: integer("On `identity`: stored events whose merge is not settled."),
  lag_ms: Type.Number({ description: "Age of the oldest that waits, in milliseconds." }),
});

/** `accepted` is the sum of the five that follow it, `queued` that of the lanes. */
const EQUATION = {
  accepted: integer(),
  queued: integer(),
  stored: integer(),
  duplicates: integer(),
  dropped: integer(),
  dead_letters: integer(),
  dropped_by_cause: Type.Record(Type.String(), integer()),
  lag_ms: AGE,
  lanes: byLane(LANE_QUEUE),
};

/** Where the events of an environment are. */
export const INGESTION_STATUS = object("IngestionStatus", {
  ...EQUATION,
  refusal: nullable(text("Why no events are taken in now; null while they are.")),
  front: object("FrontFacts", {
    event_max_bytes: integer("An event of more is set aside."),
    json_max_depth: integer("JSON that nests deeper is refused."),
  }),
});

const PARTITION = object("PartitionStatus", {
  partition: integer(),
  owner: nullable(text("The worker that has it.")),
  alive: Type.Boolean({ description: "Whether that worker is." }),
  epoch: integer(),
  lanes: byLane(
    object("LanePosition", {
      position: integer("Up to where it is committed."),
      last: integer("Up to where frames are stored in the broker."),
      attempts: integer("Claims since the last commit; from 3 on events are tried one by one."),
      lag_ms: AGE,
    }),
  ),
});

/** As `weir status --json` prints it. */
export const INSTALLATION = object("InstallationStatus", {
  generation: nullable(integer("Of the event streams.")),
  state: text(),
  members: Type.Array(text(), { description: "Ids of the workers that are alive." }),
  partitions: Type.Array(PARTITION),
  events: nullable(object("InstallationEvents", EQUATION)),
  queued: object("InstallationQueue", { events: integer(), lag_ms: AGE }),
  files: Type.Array(
    object("FileFacts", { kind: text(), state: text(), count: integer(), sizeBytes: integer(), rows: integer() }),
  ),
  set_aside: Type.Array(text(), { description: "Ids of files that compaction has quarantined." }),
  compactions: Type.Array(
    object("RunningCompaction", {
      compactor: text("The process."),
      kind: text("log, erase, events, squash, backfill or columns."),
      files: integer("That it replaces."),
      began_at_ms: integer("Epoch milliseconds."),
    }),
    { description: "Jobs of compactors under way, the oldest first." },
  ),
  compaction_failures: Type.Array(
    object("CompactionFailures", {
      kind: text("As of a running job; look and collect: what comes before and after jobs."),
      failures: integer("So far."),
      last_at_ms: integer("Epoch milliseconds."),
      last_error: text(),
    }),
    { description: "How often compaction has failed, by kind of work; the newest first. Failed work is tried again." },
  ),
  dead_letters: integer("What is in quarantine: events, and requests about persons."),
  outbox: integer("Messages of actors on their way out."),
  disk: object("DiskRoom", { free_bytes: integer(), total_bytes: integer() }),
  versions: object("Versions", {
    weir: text(),
    bun: text(),
    broker: nullable(text()),
    store: oneOf(["sqlite", "postgres"]),
  }),
});

const NUMBERS = Type.Array(nullable(integer()));

const PAST = {
  step: oneOf(Object.keys(HEALTH_STEPS) as (keyof typeof HEALTH_STEPS)[]),
  step_ms: integer(),
  date_from: Type.String({
    format: "date-time",
    description: "The beginning of the first step. All lists have one value a step, null where it is not known.",
  }),
  accepted: NUMBERS,
  queued: NUMBERS,
  stored: NUMBERS,
  duplicates: NUMBERS,
  dropped: NUMBERS,
  dead_letters: NUMBERS,
  queued_max: Type.Array(nullable(integer()), { description: "The longest queue within the step." }),
  lag_ms: byLane(NUMBERS),
  missing: Type.Array(integer(), { description: "Minutes of the step without figures." }),
  problem: Type.Array(nullable(text()), { description: "Why figures of the step could not be read, as a code." }),
};

/** What the figures of an environment were at the end of each minute, or hour. Counts are totals since the first event. */
export const HISTORY = object("IngestionHistory", PAST);

/** The same of all projects, and of the machine. */
export const INSTALLATION_HISTORY = object("InstallationHistory", {
  ...PAST,
  workers: NUMBERS,
  files: NUMBERS,
  file_bytes: NUMBERS,
  disk_free_bytes: NUMBERS,
});

/** Equal warnings of one hour are one entry; `timestamp` and `details` are those of the newest. */
export const WARNING = shape<StoredWarning>("IngestionWarning", {
  type: text(),
  source: text("The part of the service that gave it."),
  details: anyObject("Of the newest."),
  count: [integer("How often it was given in that hour."), "occurrences"],
  first_timestamp: [TIME, "firstAtMs"],
  timestamp: [TIME, "lastAtMs"],
});

export const PLAIN = media("text/plain");

const NOTHING_ASKED = { method: "GET", tag: "service", security: [], parameters: [] } as const;

/** The document itself and the page that shows it. */
export const DOCUMENT_OPERATIONS: readonly Operation[] = [
  { ...NOTHING_ASKED, path: "/openapi.json", summary: "This document", responses: { 200: anyObject() } },
  { ...NOTHING_ASKED, path: "/swagger/", summary: "This document as a page", responses: { 200: media("text/html") } },
  {
    ...NOTHING_ASKED,
    path: "/swagger/{file}",
    summary: "What the page loads",
    parameters: [{ name: "file", in: "path", schema: text() }],
    responses: { 200: [media("text/css"), media("text/javascript")], 404: ERROR },
  },
];

function byLane<T extends TSchema>(one: T) {
  return Type.Object(Object.fromEntries(LANES.map((lane) => [lane, one])) as Record<(typeof LANES)[number], T>);
}
