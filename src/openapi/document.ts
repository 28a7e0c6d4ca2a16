import type { TSchema } from "@sinclair/typebox";
import { version } from "../../package.json";
import type { Json, JsonObject } from "../types/mod.ts";
import { type Operation, type Parameter, SECURITY_SCHEMES, type Shape } from "./operation.ts";

const DESCRIPTION = `Product analytics on one small machine.

Every path that ends in a slash also works without it; where a management path is read, \`.csv\` in place of the slash
is the same as \`format=csv\`. Unknown query parameters and unknown members of bodies are ignored where nothing else is
said. HEAD is answered as GET, OPTIONS tells the methods of a path.`;

/** What an answer of a status means where its schema does not say more. */
const STATUS: Record<number, string> = {
  200: "Success.",
  201: "Created.",
  202: "Accepted; it goes on in the background.",
  204: "Success, without a body.",
  304: "The client has it already.",
  400: "The request says what cannot be; `detail` names the first problem, `attr` its field.",
  401: "No key, or one that is wrong or revoked.",
  403: "The key may not do this.",
  404: "There is no such thing, or it belongs to another project.",
  405: "The method is not allowed.",
  408: "The body did not come, or too slowly.",
  413: "The body is too large.",
  415: "The content type or encoding is not taken.",
  431: "The address and the headers are too large.",
  429: "Too many requests, or all query processes are busy; `Retry-After` says how many seconds to wait.",
  500: "A fault of the service.",
  503: "Something that is needed is away for the moment; `Retry-After` says how many seconds to wait.",
  504: "The query took longer than its deadline.",
};
const RETRY_STATUSES: readonly string[] = ["429", "503"];

/** The OpenAPI 3.1 document of operations. */
export function documentOf(operations: readonly Operation[]): JsonObject {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation, components),
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Weir", version, description: DESCRIPTION, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/" }],
    tags: [...new Set(operations.map(({ tag }) => tag))].sort().map((name) => ({ name })),
    paths,
    components: { ...components.all(), securitySchemes: SECURITY_SCHEMES as unknown as JsonObject },
  };
}

function operationObject(operation: Operation, components: Components): JsonObject {
  const { tag, summary, description, security, parameters, body, responses } = operation;
  return {
    operationId: operationId(operation),
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: security.map((name) => ({ [name]: [] })),
    parameters: parameters.map((parameter) => components.parameter(parameter)),
    ...(body !== undefined && {
      requestBody: { required: body.isRequired, content: components.content(Object.entries(body.content)) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, shape]) => [status, components.response(status, shape)]),
    ),
  };
}

/** Unique, since a path and a method are: `getEnvironmentsByProjectIdInsights`. */
function operationId({ method, path }: Operation): string {
  const words = path
    .replace(/^\/api\//, "/")
    .split("/")
    .flatMap((part) => (part.startsWith("{") ? ["by", ...part.split(/[^a-z0-9]+/i)] : part.split(/[^a-z0-9]+/i)))
    .filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

/** What several operations share, each under a name. */
class Components {
  private readonly schemas = new Map<string, Json>();
  /** What each name was given to. */
  private readonly sources = new Map<string, string>();
  private readonly parameters = new Map<string, Json>();
  private readonly responses = new Map<string, Json>();

  all(): JsonObject {
    const sorted = (map: Map<string, Json>): JsonObject =>
      Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      schemas: sorted(this.schemas),
      parameters: sorted(this.parameters),
      responses: sorted(this.responses),
    };
  }

  /** A parameter with a name of its own is written once. */
  parameter({ name, in: place, description, schema, isRequired, isJson, isSpread }: Parameter): Json {
    const plain = this.schema(schema);
    const written: JsonObject = {
      name,
      in: place,
      ...(description !== undefined && { description }),
      required: place === "path" || isRequired === true,
      ...(isJson ? { content: { "application/json": { schema: plain } } } : { schema: plain }),
      ...(isSpread && { style: "form", explode: true }),
    };
    // Names of components have no brackets.
    return this.shared("parameters", this.parameters, `${place}_${name.replace(/[^\w.-]/g, "_")}`, written);
  }

  /** An answer that holds one named schema alone is written once for each status. */
  response(status: string, shape: Shape): Json {
    const schemas = shape === null ? [] : [shape].flat();
    const entries = schemas.map((schema): [string, TSchema] => [mediaTypeOf(schema), schema]);
    const written: JsonObject = {
      description: STATUS[Number(status)] ?? "See the summary.",
      ...(RETRY_STATUSES.includes(status) && { headers: RETRY_AFTER }),
      ...(entries.length > 0 && { content: this.content(entries) }),
    };
    const name = schemas.length === 1 && Number(status) >= 400 ? schemas[0]!.$id : undefined;
    return name === undefined ? written : this.shared("responses", this.responses, `${name}${status}`, written);
  }

  content(entries: readonly [string, TSchema][]): JsonObject {
    const byType = Map.groupBy(entries, ([type]) => type);
    return Object.fromEntries(
      [...byType].map(([type, group]) => {
        const schemas = group.map(([, schema]) => this.schema(schema));
        return [type, { schema: schemas.length === 1 ? schemas[0]! : { anyOf: schemas } }];
      }),
    );
  }

  /** A reference to what is kept under the name; in place where something else has that name. */
  private shared(kind: string, known: Map<string, Json>, name: string, written: JsonObject): Json {
    const present = known.get(name) ?? written;
    if (JSON.stringify(present) !== JSON.stringify(written)) return written;
    known.set(name, written);
    return { $ref: `#/components/${kind}/${name}` };
  }

  /** The plain JSON of a schema, with references in place of those that have a name. */
  private schema(schema: TSchema): JsonObject {
    const { $id: name } = schema;
    if (name === undefined) return this.plain(schema);
    const source = JSON.stringify(schema);
    if ((this.sources.get(name) ?? source) !== source) throw new Error(`two schemas are named ${name}`);
    if (!this.sources.has(name)) {
      this.sources.set(name, source);
      this.schemas.set(name, this.plain(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  private plain(schema: TSchema): JsonObject {
    const entries = Object.entries(schema)
      .filter(([key, value]) => key !== "$id" && value !== undefined)
      .map(([key, value]): [string, Json] => [key, key === "$ref" ? schemaRef(value) : this.member(key, value)]);
    return Object.fromEntries(entries);
  }

  private member(key: string, value: unknown): Json {
    if (typeof value !== "object" || value === null || LITERAL_MEMBERS.has(key)) return value as Json;
    if (Array.isArray(value)) return value.map((item) => (isSchema(item) ? this.schema(item) : (item as Json)));
    if (!SCHEMA_MAPS.has(key)) return this.schema(value as TSchema);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.schema(one as TSchema)]));
  }
}

/** Members of a schema whose value is no schema. */
const LITERAL_MEMBERS: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required", "type"]);
const SCHEMA_MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties"]);
const isSchema = (value: unknown): value is TSchema => typeof value === "object" && value !== null;
const schemaRef = (name: unknown): string => `#/components/schemas/${String(name)}`;

const RETRY_AFTER: JsonObject = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } },
};

function mediaTypeOf({ contentMediaType }: TSchema): string {
  return typeof contentMediaType === "string" ? contentMediaType : "application/json";
}
