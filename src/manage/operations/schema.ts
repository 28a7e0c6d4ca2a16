import { Type } from "@sinclair/typebox";
import type { StoredWarning } from "../../lake/mod.ts";
import { anyObject, ERROR, integer, media, type Operation, object, TIME, text } from "../../openapi/mod.ts";
import { shape } from "../resource/shape.ts";

/** Where the events of an environment are. `accepted` is the sum of the five that follow it. */
export const INGESTION_STATUS = object("IngestionStatus", {
  accepted: integer(),
  queued: integer(),
  stored: integer(),
  duplicates: integer(),
  dropped: integer(),
  dead_letters: integer(),
  dropped_by_cause: Type.Record(Type.String(), integer()),
  lag_ms: Type.Number({ description: "Age of the oldest event that is not settled, in milliseconds." }),
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
