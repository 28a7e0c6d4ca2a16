import { type TSchema, Type } from "@sinclair/typebox";
import { anyObject, oneOf } from "../../openapi/mod.ts";
import type { Json } from "../../types/mod.ts";

/** One parameter of the query string, as the document shows it. How its text is read is for the route. */
export interface QueryParameter {
  description: string;
  schema: TSchema;
  isRequired?: boolean;
  /** The text is JSON. */
  isJson?: boolean;
  /** Stands for all parameters whose name begins with this one. */
  isPrefix?: boolean;
}
export type QueryParameters = Readonly<Record<string, QueryParameter>>;

/** NUL is refused in every parameter. */
const NO_NUL = "^[^\\u0000]*$";

export function textParam(description: string): QueryParameter {
  return { description, schema: Type.String({ pattern: NO_NUL }) };
}

/** A number; another text counts as absent. */
export function numberParam(description: string, initial?: number): QueryParameter {
  return {
    description,
    schema: Type.Unsafe({ type: ["integer", "string"], pattern: NO_NUL, default: initial }),
  };
}

/** A number; another text is refused. */
export function strictNumberParam(description: string, initial?: number): QueryParameter {
  return { description, schema: Type.Integer({ minimum: 0, default: initial }) };
}

/** True where the text is `true`, or one of `others`; any other text is false. */
export function flagParam(description: string): QueryParameter {
  return { description, schema: Type.Unsafe({ type: ["boolean", "string"], pattern: NO_NUL }) };
}

/** One of these, or another text that means nothing. */
export function wordParam(description: string, words: readonly string[]): QueryParameter {
  return { description, schema: Type.String({ pattern: NO_NUL, examples: [...words] }) };
}

/** A date as in queries. */
export function dateParam(description: string): QueryParameter {
  const schema = Type.String({ pattern: NO_NUL, examples: ["2024-01-31", "-7d", "all"] });
  return { description: `${description} ISO 8601, or relative to now; \`all\` is no limit.`, schema };
}

/** JSON of the schema. */
export function jsonParam(description: string, schema: TSchema): QueryParameter {
  return { description, schema, isJson: true };
}

/** The value of a text in JSON; undefined for another text. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Over what a query asks; JSON objects. */
export const OVERRIDES_QUERY = {
  filters_override: jsonParam("Filters over those of the query: `date_from`, `date_to`, `properties`.", anyObject()),
  variables_override: jsonParam("Values of HogQL variables, by variable id.", anyObject()),
} satisfies QueryParameters;

/** What every guarded route reads. */
export const GUARDED_QUERY = {
  format: { description: "The form of the answer; another one is 404.", schema: oneOf(["json", "csv"]) },
  personal_api_key: textParam("The key, where no header and no body has one."),
} satisfies QueryParameters;

/** What the routes that a shared link opens read, too. */
export const SHARED_LINK_QUERY = {
  sharing_access_token: textParam("The token of a shared insight, in place of a key."),
} satisfies QueryParameters;

/**
 * The query string of a request, read through what its route declares. Reading another name is a defect, and throws: the
 * document would not know of it.
 */
export class Query {
  constructor(
    private readonly declared: QueryParameters,
    private readonly params: URLSearchParams,
  ) {}

  /** The first value of a parameter, or null. */
  get(name: string): string | null {
    this.require(name);
    return this.params.get(name);
  }

  has(name: string): boolean {
    this.require(name);
    return this.params.has(name);
  }

  getAll(name: string): string[] {
    this.require(name);
    return this.params.getAll(name);
  }

  /** Every declared parameter that is given, with its values. */
  entries(): [name: string, value: string][] {
    return [...this.params].filter(([name]) => this.isDeclared(name));
  }

  /** As if the client had sent it. */
  set(name: string, value: string): void {
    this.require(name);
    this.params.set(name, value);
  }

  private require(name: string): void {
    if (!this.isDeclared(name)) throw new Error(`the route does not declare the query parameter "${name}"`);
  }

  private isDeclared(name: string): boolean {
    if (Object.hasOwn(this.declared, name)) return true;
    return Object.entries(this.declared).some(([prefix, { isPrefix }]) => isPrefix === true && name.startsWith(prefix));
  }
}
