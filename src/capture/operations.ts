import { type TSchema, Type } from "@sinclair/typebox";
import {
  anyObject,
  ERROR,
  nullable,
  type Operation,
  object,
  type Parameter,
  type Responses,
  TIME,
  text,
  UUID,
} from "../openapi/mod.ts";
import { PATHS, V1_PATH } from "./paths.ts";
import { SDK_OPERATIONS } from "./sdk/operations.ts";

// The paths that events are sent to, for the API document. This file loads none of the code that takes events.

const TAG = "capture";
const FORMS =
  "As JSON; plain, gzip, base64 or lz64, or as the member `data` of a form. `compression` in the query string and `Content-Encoding` are hints; gzip and base64 need none.";

const EVENT_MEMBERS = {
  event: Type.Optional(text("Its name; without one it is set aside.")),
  distinct_id: Type.Optional(text("Whose it is; also inside of `properties`.")),
  properties: Type.Optional(anyObject()),
  timestamp: Type.Optional(text("When it was, ISO 8601; the time of arrival when absent.")),
  uuid: Type.Optional(text("Copies with the same uuid count once.")),
  $set: Type.Optional(anyObject("Properties of the person.")),
  $set_once: Type.Optional(anyObject("The same where the person has none of this name.")),
};
const PROJECT_KEY = text("The project key; `token` is the same.");

const BATCHED_EVENT = Type.Object(EVENT_MEMBERS, { $id: "BatchedEvent", additionalProperties: true });
const SINGLE_EVENT = Type.Object(
  { api_key: PROJECT_KEY, ...EVENT_MEMBERS },
  { $id: "CapturedEvent", additionalProperties: true },
);
const BATCH = Type.Object(
  {
    api_key: PROJECT_KEY,
    batch: Type.Array(BATCHED_EVENT, { minItems: 1 }),
    historical_migration: Type.Optional(Type.Boolean({ description: "Old events: never charged, behind live ones." })),
    sent_at: Type.Optional(text("When it was sent by the client's clock, ISO 8601.")),
  },
  { $id: "CapturedBatch", additionalProperties: true },
);
const PAYLOAD = Type.Union([SINGLE_EVENT, BATCH, Type.Array(SINGLE_EVENT, { minItems: 1 })], { $id: "Captured" });

const ACCEPTED = object("Accepted", { status: Type.Literal("Ok") });

const RESPONSES: Responses = {
  200: ACCEPTED,
  204: null,
  400: ERROR,
  401: ERROR,
  408: ERROR,
  413: ERROR,
  500: ERROR,
  503: ERROR,
};

const QUERY: readonly Parameter[] = [
  parameter(
    "compression",
    "A hint how the payload is packed: `gzip`, `base64`, `lz64`; another name is none.",
    Type.String(),
  ),
  parameter("_", "When it was sent by the client's clock, in milliseconds; `sent_at` is the same.", Type.Integer()),
  parameter("sent_at", "See `_`, which comes first.", Type.Integer()),
  parameter("beacon", "`1`: the answer is 204 without a body.", Type.Integer()),
];
const DATA: Parameter = { ...parameter("data", "The payload.", PAYLOAD), isJson: true, isRequired: true };

function parameter(name: string, description: string, schema: TSchema): Parameter {
  return { name, in: "query", description, schema };
}

const EVENT_OPERATIONS: Operation[] = PATHS.flatMap(({ paths, methods, defaultName }) =>
  paths.flatMap((path) =>
    methods.map((method): Operation => {
      const base = { tag: TAG, security: [], description: FORMS, responses: RESPONSES, path: `${path}/`, method };
      const summary = defaultName === null ? "Send events" : `Send events, which are \`${defaultName}\` without a name`;
      if (method === "GET") {
        return { ...base, summary, parameters: [...QUERY, DATA], responses: { ...RESPONSES, 431: null } };
      }
      const body = { isRequired: true, content: { "application/json": PAYLOAD } };
      return { ...base, summary, parameters: QUERY, body };
    }),
  ),
);

const FAILURE_V1 = object("CaptureFailure", {
  error: text("The cause, for programs."),
  error_description: text("The cause, for people."),
  error_uri: Type.Null(),
});

const BATCH_V1 = object("CapturedBatchV1", {
  created_at: TIME,
  batch: Type.Array(
    object("CapturedEventV1", {
      uuid: UUID,
      event: text(),
      distinct_id: text(),
      timestamp: TIME,
      properties: Type.Optional(nullable(anyObject())),
      session_id: Type.Optional(nullable(text())),
      window_id: Type.Optional(nullable(text())),
      options: Type.Optional(
        nullable(
          anyObject("`cookieless_mode`, `disable_skew_correction`, `process_person_profile`, `product_tour_id`."),
        ),
      ),
    }),
    { minItems: 1 },
  ),
  historical_migration: Type.Optional(Type.Boolean()),
});

const RESULT_V1 = object("CaptureResult", {
  result: Type.Unsafe({ enum: ["ok", "warning", "drop", "retry"] }),
  details: Type.Optional(text("The cause of another result than `ok`.")),
});

const V1_OPERATION: Operation = {
  method: "POST",
  path: V1_PATH,
  tag: TAG,
  summary: "Send a batch of events, each of which gets its own result",
  security: ["projectKey"],
  parameters: [
    header("PostHog-Sdk-Info", "Name and version of the library.", Type.String({ pattern: "^[^/\\s]+/\\S+$" })),
    header("PostHog-Attempt", "How often it was tried.", Type.Integer({ minimum: 0, maximum: 999_999_999 })),
    header("PostHog-Request-Id", "Names the request.", UUID),
    header("PostHog-Request-Timestamp", "When it was sent by the client's clock.", TIME),
  ],
  body: { isRequired: true, content: { "application/json": BATCH_V1 } },
  responses: {
    200: object("CaptureResults", {
      results: Type.Record(Type.String(), RESULT_V1, { description: "By the uuid of the event." }),
    }),
    ...Object.fromEntries([400, 401, 408, 413, 415, 500, 503].map((status) => [status, FAILURE_V1])),
  },
};

function header(name: string, description: string, schema: TSchema): Parameter {
  return { name, in: "header", description, schema, isRequired: true };
}

/** All paths that the front answers to SDKs: events, and their questions. */
export const CAPTURE_OPERATIONS: readonly Operation[] = [...EVENT_OPERATIONS, V1_OPERATION, ...SDK_OPERATIONS];
