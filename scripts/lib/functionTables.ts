/** docs/hogql.md: every function of HogQL, from the tables that the compiler itself reads. */
import { ANY_CASE, COMBINATORS, FUNCTION_TABLES, type FunctionSpec } from "../../src/query/hogql/functions/mod.ts";
import { REFUSED, REFUSED_TABLES } from "../../src/query/hogql/schema/tables.ts";
import { sql } from "../../src/query/sql/sql.ts";
import {
  arrayOf,
  type Kind,
  mapOf,
  type Type,
  tupleOf,
  typeOf,
  type Value,
  value,
} from "../../src/query/value/types.ts";

/** Results that a call with sample arguments cannot show: the arguments have to fit each other. */
const RESULTS: Record<string, string> = {
  ...{ toStartOfInterval: "time", dateAdd: "time", date_add: "time", dateSub: "time", date_sub: "time" },
  ...{ arraySort: "array", arrayReverseSort: "array", map: "map", mapApply: "map", tupleElement: "depends" },
};
/** Names that are there to be refused with advice. */
const REFUSED_FUNCTIONS = new Set(["untuple"]);

const ANY_KINDS: readonly Type[] = [
  ...(["string", "int", "float", "datetime", "date", "bool", "uuid"] as const).map((kind) => typeOf(kind)),
  ...[arrayOf(typeOf("string")), tupleOf([typeOf("string")]), mapOf(typeOf("string"), typeOf("string"))],
];
/** Some functions take only literals of a certain form. */
const LITERALS = ["day", "UTC", "a", "%Y", "$.a", "1", "Int64", "md5", "sum"];

function sampleOf(take: string, any: Type, literal: string): Value {
  const of = (type: Type, constant?: string | number): Value => ({ ...value(sql`x`, type), constant });
  const samples: Record<string, () => Value> = {
    text: () => of(typeOf("string"), literal),
    number: () => of(typeOf(any.kind === "int" ? "int" : "float"), 1),
    float: () => of(typeOf("float"), 1),
    int: () => of(typeOf("int"), 1),
    bool: () => of(typeOf("bool")),
    condition: () => of(typeOf("bool")),
    time: () => of(typeOf("datetime")),
    date: () => of(typeOf("date")),
    array: () => of(arrayOf(any)),
    map: () => of(mapOf(typeOf("string"), any)),
    tuple: () => of(tupleOf([any])),
    lambda: () => ({ ...of(any), parameter: sql`y` }),
  };
  return samples[take]?.() ?? of(any, any.kind === "string" ? literal : undefined);
}

const CALENDAR = { timezone: "UTC", nowMs: 0, weekStartDay: 0 } as const;

/** The first argument and the result of a call that the function takes; null where it takes none of the samples. */
function tryCall(name: string, spec: FunctionSpec, any: Type): { first: Type | undefined; result: Type } | null {
  const count = Math.max(spec.min, Math.min(1, spec.takes.length));
  const call = { ...CALENDAR, name, params: [1], groupsMax: () => 1, fresh: () => sql`z` };
  const over = spec.kind === "window" ? sql`w` : null;
  for (const literal of LITERALS) {
    const args = Array.from({ length: count }, (_, i) => {
      const take = spec.takes[Math.min(i, spec.takes.length - 1)] ?? "any";
      return sampleOf(take.replace(/[?*]$/, ""), any, literal);
    });
    try {
      const rows = { filter: null, over, order: null, isDistinct: false, ifNone: "usual" } as const;
      return { first: args[0]?.type, result: spec.emit(args, call, rows).type };
    } catch {
      // Not these; others may fit.
    }
  }
  return null;
}

/** What a function gives: a kind, that of its first argument, or one that its arguments decide. */
function resultOf(name: string, spec: FunctionSpec): string {
  const calls = ANY_KINDS.flatMap((any) => tryCall(name, spec, any) ?? []);
  const kinds = [...new Set(calls.map(({ result }) => result.kind))];
  if (kinds.length === 0) return RESULTS[name] ?? fail(name);
  if (kinds.length > 1 && calls.every(({ first, result }) => first?.kind === result.kind)) return "like the argument";
  return kinds.length === 1 ? (KIND_NAMES[kinds[0]!] ?? kinds[0]!) : "depends";
}

const KIND_NAMES: Partial<Record<Kind, string>> = {
  ...{ string: "text", int: "integer", float: "number", bool: "boolean", datetime: "time", uuid: "UUID", null: "NULL" },
};

function fail(name: string): never {
  throw new Error(`no sample call of ${name} shows its result: name it in RESULTS of ${import.meta.path}`);
}

const argumentsOf = ({ takes }: FunctionSpec) => takes.map((take) => take.replace("*", "…")).join(", ");

function callOf(name: string, spec: FunctionSpec): string {
  return `${name}${spec.params === 0 ? "" : "(parameters)"}(${argumentsOf(spec)})`;
}

const shownOf = (table: Record<string, FunctionSpec>) =>
  Object.entries(table).filter(([name]) => !name.startsWith("_") && !REFUSED_FUNCTIONS.has(name));

function section(title: string, table: Record<string, FunctionSpec>): string {
  const rows = shownOf(table).map(([name, spec]) => `| \`${callOf(name, spec)}\` | ${resultOf(name, spec)} |`);
  return [`## ${title}`, "", "| call | result |", "|---|---|", ...rows.sort()].join("\n");
}

/** `src/web/app/pages/sql/functionList.ts`: the same functions, for the editor of the pages. */
export function functionsFile(): string {
  const sections = Object.entries(FUNCTION_TABLES).map(([title, table]) => {
    const lines = shownOf(table).map(([name, spec]) => `${callOf(name, spec)} → ${resultOf(name, spec)}`);
    return `  ${/^\w+$/.test(title) ? title : JSON.stringify(title)}: \`\n${lines.sort().join("\n")}\n\`,`;
  });
  return `// Made by scripts/docs from the function tables of HogQL.

/** Every function by what it is about: a line each, with its call and its result. */
export const FUNCTION_LIST: Readonly<Record<string, string>> = {
${sections.join("\n")}
};

/** What an aggregate may end in. */
export const COMBINATORS: readonly string[] = [
${COMBINATORS.map(([ending]) => `  ${JSON.stringify(ending)},`).join("\n")}
];
`;
}

const code = (names: Iterable<string>) => [...names].map((name) => `\`${name}\``).join(", ");

/** The page, as it belongs to the tables of this moment. */
export function hogqlPage(): string {
  const sections = Object.entries(FUNCTION_TABLES).map(([title, table]) => section(title, table));
  return `# HogQL functions

<!-- Written by scripts/docs from the function tables. Do not edit by hand. -->

HogQL is PostHog's SQL. [Queries](queries.md#hogqlquery) says what a query may hold. This page lists every function.

An argument is converted to the kind that the list names; \`any\` is taken as it is. \`?\`: may be left out. \`…\`: may repeat.
\`f(parameters)(x)\`: takes numbers or words in a first pair of brackets, as \`quantile(0.9)(x)\`. A result *like the argument* has the
type of the first argument; *depends*: several arguments decide it together. Names are exact in their case, but for
${code(ANY_CASE)}.

${sections.join("\n\n")}

## Combinators

An aggregate takes these endings, several of them in a row too: ${code(COMBINATORS.map(([ending]) => `-${ending}`))}.
\`sumIf(x, condition)\` reads the rows that meet the condition, \`uniqArray(xs)\` the elements of arrays, \`avgOrNull(x)\` gives NULL
over no rows.
Aggregates that end in \`-State\`, \`-Merge\` or \`-SimpleState\` are refused: use the aggregate itself.

## Refused by name

| table | instead |
|---|---|
${[...REFUSED_TABLES].map(([name, instead]) => `| \`${name}\` | ${instead} |`).join("\n")}

| table | fields without an answer |
|---|---|
${Object.entries(REFUSED)
  .map(([table, fields]) => `| \`${table}\` | ${code(fields)} |`)
  .join("\n")}

| function | instead |
|---|---|
| \`untuple\` | name the members: \`t.1\`, \`t.2\` |
| \`windowFunnel\` with \`strict_order\`, \`strict_deduplication\`, \`strict_once\` or \`allow_reentry\` | \`windowFunnel\` with the default mode or \`strict_increase\` |

[Queries](queries.md#refused-by-name) lists the clauses that are refused. An unknown name is an error with its place in the text and the
nearest known name.
`;
}
