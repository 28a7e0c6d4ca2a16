import { type TSchema, Type } from "@sinclair/typebox";
import {
  anyObject,
  ERROR,
  ERROR_MEMBERS,
  integer,
  media,
  type Operation,
  object,
  type Parameter,
  type Responses,
  text,
  UUID,
} from "../../openapi/mod.ts";

// What the document says of the paths at which SDKs ask and send what is no event.

const TAG = "sdk";

const EMPTY_LIST = Type.Array(Type.Never(), { maxItems: 0 });
const EMPTY_OBJECT = Type.Object({}, { additionalProperties: false });

/** What `remoteConfig` gives. */
const CONFIG_MEMBERS = {
  token: text(),
  supportedCompression: Type.Array(text()),
  analytics: Type.Object({ endpoint: text() }),
  elementsChainAsString: Type.Boolean(),
  defaultIdentifiedOnly: Type.Boolean(),
  autocapture_opt_out: Type.Boolean(),
  autocaptureExceptions: Type.Boolean(),
  errorTracking: Type.Object({ autocaptureExceptions: Type.Boolean(), suppressionRules: EMPTY_LIST }),
  captureDeadClicks: Type.Boolean(),
  capturePerformance: Type.Boolean(),
  heatmaps: Type.Boolean(),
  logs: Type.Object({ captureConsoleLogs: Type.Boolean() }),
  sessionRecording: Type.Boolean(),
  hasFeatureFlags: Type.Boolean(),
  surveys: Type.Boolean(),
  productTours: Type.Boolean(),
  conversations: Type.Boolean(),
  siteApps: EMPTY_LIST,
  isAuthenticated: Type.Boolean(),
  toolbarParams: EMPTY_OBJECT,
};
const CONFIG = object("RemoteConfig", CONFIG_MEMBERS);
const MAYBE_CONFIG = Object.fromEntries(
  Object.entries(CONFIG_MEMBERS).map(([name, schema]) => [name, Type.Optional(schema)]),
);

const NO_FLAGS = {
  flags: Type.Optional(EMPTY_OBJECT),
  featureFlags: Type.Optional(Type.Union([EMPTY_OBJECT, EMPTY_LIST])),
  featureFlagPayloads: Type.Optional(EMPTY_OBJECT),
  errorsWhileComputingFlags: Type.Boolean(),
};
const FLAGS = object("Flags", { ...MAYBE_CONFIG, ...NO_FLAGS, requestId: UUID, evaluatedAt: integer() });
const DECISION = object("Decision", {
  ...CONFIG_MEMBERS,
  ...NO_FLAGS,
  config: Type.Object({ enable_collect_everything: Type.Boolean() }),
});
const REFUSAL = object("NotSupported", { ...ERROR_MEMBERS, quota_limited: Type.Optional(Type.Array(text())) });

const SCRIPT = media("text/javascript");
const QUESTION = Type.Object(
  { token: text("The project key; `api_key` is the same."), distinct_id: Type.Optional(Type.Unknown()) },
  { $id: "FlagsQuestion", additionalProperties: true },
);

const FAULTS: Responses = { 400: ERROR, 401: ERROR, 500: ERROR, 503: ERROR };
const VERSION = query(
  "v",
  "The form of the answer; the oldest when absent.",
  Type.Unsafe({ type: ["integer", "string"] }),
);
const COMPRESSION = query("compression", "A hint how the body is packed.", Type.String());

function query(name: string, description: string, schema: TSchema, isRequired = false): Parameter {
  return { name, in: "query", description, schema, isRequired };
}

/** A question whose body names the project. */
function asked(path: string, summary: string, answer: TSchema, parameters: Parameter[]): Operation {
  const body = { isRequired: true, content: { "application/json": QUESTION } };
  const responses = { ...FAULTS, 200: answer, 408: ERROR, 413: ERROR };
  return { method: "POST", path, tag: TAG, summary, security: [], parameters, body, responses };
}

/** A list, for a project that `token` names. */
function listed(path: string, summary: string, answer: TSchema): Operation {
  const parameters = [query("token", "The project key.", Type.String(), true)];
  return { method: "GET", path, tag: TAG, summary, security: [], parameters, responses: { ...FAULTS, 200: answer } };
}

/** A file, by the names in its path. */
function file(path: string, summary: string, responses: Responses): Operation {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]): Parameter => {
    const description = name === "token" ? "The project key." : undefined;
    return { name, in: "path", description, schema: Type.String({ minLength: 1 }) };
  });
  const all = { ...FAULTS, 404: ERROR, ...responses };
  return { method: "GET", path, tag: TAG, summary, security: [], parameters, responses: all };
}

function refused(path: string, what: string): Operation {
  const responses = { 404: REFUSAL };
  return { method: "POST", path, tag: TAG, summary: `Not taken: ${what}`, security: [], parameters: [], responses };
}

const emptyList = (name: string) => Type.Object({ [name]: EMPTY_LIST });

export const SDK_OPERATIONS: readonly Operation[] = [
  asked("/flags/", "The feature flags of a person: none", FLAGS, [
    VERSION,
    query("config", "`true`: with the remote config.", Type.Unsafe({ type: ["boolean", "string"] })),
    COMPRESSION,
  ]),
  asked("/decide/", "The flags and the remote config in one, as older SDKs ask", DECISION, [VERSION, COMPRESSION]),
  listed("/api/surveys/", "Surveys: none", emptyList("surveys")),
  listed("/api/early_access_features/", "Early access features: none", emptyList("earlyAccessFeatures")),
  listed("/api/web_experiments/", "Experiments: none", emptyList("experiments")),
  listed("/api/product_tours/", "Product tours: none", emptyList("product_tours")),
  file("/array/{token}/config", "What the service tells a browser SDK about itself", { 200: CONFIG }),
  file("/array/{token}/config.js", "The same as a script", { 200: SCRIPT }),
  file("/array/{token}/array.js", "The same with the browser SDK behind it", { 200: SCRIPT }),
  file("/static/{name}", "A file of the browser SDK", { 200: [SCRIPT, anyObject()], 304: null }),
  file("/static/{name}/{file}", "The same of one version, which `name` is", { 200: [SCRIPT, anyObject()], 304: null }),
  refused("/s/", "session recordings"),
  refused("/i/v1/logs/", "logs"),
  refused("/i/v1/metrics/", "metrics"),
  refused("/i/v1/traces/", "traces"),
  ...["/i/v0/ai/", "/i/v0/ai/batch/", "/i/v0/ai/otel/", "/i/v1/ai/events/"].map((path) =>
    refused(path, "AI events on a path of their own"),
  ),
];
