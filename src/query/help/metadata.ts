import { type Static, Type } from "@sinclair/typebox";
import { TerminalError } from "../../types/mod.ts";
import { withEmbedded } from "../hogql/embedding.ts";
import { inspectTree } from "../hogql/mod.ts";
import { from, select } from "../hogql/syntax/build.ts";
import { parseExpression } from "../hogql/syntax/fragments.ts";
import { checkGrowth } from "../hogql/syntax/growth.ts";
import { parser } from "../hogql/syntax/parse.ts";
import type { Query } from "../hogql/syntax/tree.ts";
import { HogqlSchema } from "../kinds/hogql/node.ts";
import { placeholdersOf } from "../kinds/hogql/placeholders.ts";
import { HogqlError, notSupported } from "../shape/errors.ts";
import { anything, asObject, check, object, optional } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import type { HelpKind } from "./kind.ts";
import { type Notice, propertyNotice } from "./notices.ts";
import { tableNames } from "./tableNames.ts";

/** PostHog's languages; the ones that are not SQL are refused by name. */
const LANGUAGES = ["hogQL", "hogQLExpr", "hog", "hogJson", "hogTemplate", "liquid"] as const;

const MetadataSchema = object({
  kind: Type.Literal("HogQLMetadata"),
  language: Type.Union(LANGUAGES.map((language) => Type.Literal(language))),
  query: Type.String(),
  sourceQuery: optional(Type.Record(Type.String(), Type.Unknown())),
  filters: HogqlSchema.properties.filters,
  variables: HogqlSchema.properties.variables,
  values: HogqlSchema.properties.values,
  globals: anything,
  debug: anything,
  modifiers: anything,
  connectionId: anything,
  tags: anything,
  version: anything,
  response: anything,
});
type Metadata = Static<typeof MetadataSchema>;

interface MetadataAnswer {
  query: string;
  isValid: boolean;
  errors: Notice[];
  warnings: Notice[];
  notices: Notice[];
  table_names: string[];
}

/** Whether a text can be asked, and what its names are: as the compiler says, nothing is run. */
async function metadataOf(node: Metadata, context: QueryContext): Promise<MetadataAnswer> {
  const { query, language } = node;
  if (language !== "hogQL" && language !== "hogQLExpr") throw notSupported("language", language);
  const answer: MetadataAnswer = { query, isValid: true, errors: [], warnings: [], notices: [], table_names: [] };
  try {
    const tree = language === "hogQL" ? await parser.parse(query, context) : await expressionQuery(node, context);
    checkGrowth(tree);
    answer.table_names = tableNames(tree);
    const placeholders = placeholdersOf({ ...node, kind: "HogQLQuery" }, context);
    const properties = await withEmbedded(new Set(), context, async (parsed) =>
      inspectTree({ tree, placeholders }, { ...context, parsed }),
    );
    answer.notices = properties.flatMap(propertyNotice);
  } catch (error) {
    answer.isValid = false;
    answer.errors.push(noticeOf(error, query));
  }
  return answer;
}

/** The columns that an expression of a list stands over. */
const TABLE_OF_SOURCE: Readonly<Record<string, string>> = { ActorsQuery: "persons", PersonsNode: "persons" };

/** An expression as the one column of the query that it is to stand in; of events where none is named. */
async function expressionQuery({ query, sourceQuery }: Metadata, context: QueryContext): Promise<Query> {
  const source = sourceQuery ?? {};
  const column = await parseExpression(query, context);
  if (source.kind === "HogQLQuery" && typeof source.query === "string") {
    const around = await parser.parse(source.query, context);
    if (around.node === "SelectQuery") return { ...around, select: [column] };
  }
  return select([column], { select_from: from(TABLE_OF_SOURCE[String(source.kind)] ?? "events") });
}

/** What is wrong, in words. What is nobody's mistake is thrown on. */
function noticeOf(error: unknown, query: string): Notice {
  if (!(error instanceof TerminalError) || !/^invalid_/.test(error.code)) throw error;
  const isOfSyntax = /\(at character \d+\)$/.test(error.message);
  const isAtEnd = error instanceof HogqlError && isOfSyntax && (error.start ?? 0) >= Array.from(query.trimEnd()).length;
  const message = isAtEnd ? "Unexpected end of query" : error.message;
  if (!(error instanceof HogqlError) || error.start === null) return { message };
  const end = error.end ?? error.start;
  return { message, start: Math.min(error.start, end), end: Math.max(error.start, end) };
}

const NOTICES = Type.Array(
  Type.Object({
    start: Type.Optional(Type.Integer({ description: "A character of the text; absent where it is about all of it." })),
    end: Type.Optional(Type.Integer({ description: "The character behind the last one." })),
    message: Type.String(),
  }),
);

/** Whether SQL can be asked, and what its parts are. */
export const HOGQL_METADATA: HelpKind = {
  name: "HogQLMetadata",
  schema: MetadataSchema,
  response: {
    query: Type.String(),
    isValid: Type.Boolean(),
    errors: NOTICES,
    warnings: NOTICES,
    notices: NOTICES,
    table_names: Type.Array(Type.String(), { description: "The stored tables that the text names." }),
  },
  answer: async (node, context) => metadataOf(check(MetadataSchema, asObject(node, ""), ""), context),
};
