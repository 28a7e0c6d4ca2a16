import type { TSchema } from "@sinclair/typebox";

export const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/**
 * What an answer holds: JSON of a schema, text where the schema has a `contentMediaType`, one of several, or null for
 * nothing.
 */
export type Shape = TSchema | readonly TSchema[] | null;

/** What an answer of each status holds. */
export type Responses = Readonly<Record<number, Shape>>;

export interface Parameter {
  name: string;
  in: "query" | "path" | "header";
  description?: string;
  schema: TSchema;
  isRequired?: boolean;
  /** The text is JSON of the schema. */
  isJson?: boolean;
  /** Stands for parameters of several names: the members of an object. */
  isSpread?: boolean;
}

/** One method of one path, as clients see it. */
export interface Operation {
  method: Method;
  /** With `{name}` parameters. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** The names of security schemes, any one of which opens it; empty where nothing is asked. */
  security: readonly SecurityScheme[];
  parameters: readonly Parameter[];
  /** By media type. */
  body?: { isRequired: boolean; content: Readonly<Record<string, TSchema>> };
  responses: Responses;
}

/** How a request names its caller. */
export const SECURITY_SCHEMES = {
  personalApiKey: { type: "http", scheme: "bearer", description: "A personal API key." },
  personalApiKeyInQuery: {
    type: "apiKey",
    in: "query",
    name: "personal_api_key",
    description: "The same; read where no header has one. A member `personal_api_key` of a JSON body comes before it.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "weir_session",
    description:
      "The session of a browser that has logged in, where no key is given; `__Host-weir_session` under https. Methods that change something need the cookie `weir_csrf` (`__Host-weir_csrf`) in the header `X-CSRFToken`.",
  },
  sharingAccessToken: {
    type: "apiKey",
    in: "query",
    name: "sharing_access_token",
    description: "The token of a shared insight, which opens that insight alone.",
  },
  projectKey: { type: "http", scheme: "bearer", description: "The project key that events are sent with." },
} as const;
export type SecurityScheme = keyof typeof SECURITY_SCHEMES;

/** The names of the parameters in a path. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}
