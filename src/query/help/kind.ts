import type { TProperties, TSchema } from "@sinclair/typebox";
import type { JsonObject } from "../../types/mod.ts";
import type { QueryContext } from "../source/context.ts";

/**
 * A question about the language, not about what is stored: what can be asked, and whether a text is right. It reads no file, its answer
 * is kept nowhere, and no insight can be one.
 */
export interface HelpKind {
  readonly name: string;
  /** The shape of its nodes, for the API document. */
  readonly schema: TSchema;
  /** The members of its answers, for the API document. */
  readonly response: TProperties;
  /** Errors: TerminalError `invalid_query` that names the place; RetryableError `queries_busy`. */
  answer(node: JsonObject, context: QueryContext): Promise<object>;
}
