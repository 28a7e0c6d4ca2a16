import { isJsonObject, type Json, TerminalError } from "../types/mod.ts";
import { parser } from "./hogql/syntax/parse.ts";
import type { ParsedQuery } from "./parsed.ts";
import { HogqlError, invalidQuery } from "./shape/errors.ts";
import type { QueryContext } from "./source/context.ts";
import { selectRows } from "./source/statement.ts";
import { bind, sql } from "./sql/sql.ts";

// The engine refuses what is no regular expression when it meets it, and says neither which one it is nor where it stands.

/** What the engine says, and what it means by it; `part` is of the expression. */
const PROBLEMS: Record<string, (part: string) => string> = {
  "missing )": () => "a ( is not closed",
  "unexpected )": () => "a ) closes nothing",
  "missing ]": () => "a [ is not closed",
  "trailing \\": () => "nothing is behind the last backslash",
  "no argument for repetition operator": (part) => `${part} has nothing to repeat`,
  "bad repetition operator": (part) => `${part} repeats a repetition`,
  "invalid repetition size": (part) => `${part} is not a possible number of repetitions (1000 at most in all)`,
  "invalid perl operator": (part) => `${part} is not known; there is no looking ahead or behind`,
  "invalid escape sequence": (part) => `${part} is no escape`,
  "invalid character class": (part) => `${part} is no class of characters`,
  "invalid character class range": (part) => `${part} is no range of characters`,
  "invalid named capture group": (part) => `${part} names no group`,
  "invalid UTF-8": () => "it is no UTF-8",
  "pattern too large - compile failed": () => "it is too large",
};
const SAID = /Invalid Input Error: ([^:]+?)(?:: (.*))?$/s;
const WRONG = "a regular expression (RE2)";
const MAX_TRIED = 1000;

/**
 * The answer of a query; of a wrong regular expression the error says where it stands in the node or in the text of HogQL.
 * Errors: TerminalError `invalid_query` or `invalid_hogql` for such a one, and those of the answer.
 */
export async function withExpressions<T>(node: ParsedQuery, context: QueryContext, answered: Promise<T>): Promise<T> {
  try {
    return await answered;
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null) throw error;
    throw await placedError(node, problem, context);
  }
}

/** What is wrong with a regular expression; null where an error is about something else. */
function problemOf(error: unknown): string | null {
  if (!(error instanceof TerminalError) || error.code !== "query_failed") return null;
  const [, said = "", part = ""] = SAID.exec(error.message) ?? [];
  return Object.hasOwn(PROBLEMS, said) ? PROBLEMS[said]!(part) : null;
}

/** The first expression of which the engine says the same; in the node, in the text, or in what the environment adds. */
async function placedError(node: ParsedQuery, problem: string, context: QueryContext): Promise<TerminalError> {
  const isIt = async ({ pattern }: { pattern: string }) => (await problemWith([pattern], context)) === problem;
  const inNode = await firstOf(expressionsIn(node.source), isIt);
  if (inNode !== null) return invalidQuery(inNode.place, `is not ${WRONG}: ${problem}`);
  const inText = await firstOf(await expressionsOfHogql(node, context), isIt);
  if (inText !== null) return new HogqlError(`This is not ${WRONG}: ${problem}`, inText.start, inText.end);
  const added = {
    ...(node.query.filterTestAccounts && { test_account_filters: context.testAccountFilters as Json }),
    path_cleaning_filters: context.pathCleaningFilters ?? null,
  };
  const inSettings = await firstOf(expressionsIn(added), isIt);
  if (inSettings !== null) return invalidQuery(inSettings.place, `is not ${WRONG}: ${problem}`);
  return invalidQuery("", `A regular expression is wrong (RE2): ${problem}`);
}

/**
 * Asks the engine whether the regular expressions in filters, or in steps of an action, are such. `place`: where they stand. Throws
 * TerminalError `invalid_query` for the first that is none, and the errors of `Lake.query`.
 */
export async function checkExpressions(json: Json, place: string, context: QueryContext): Promise<void> {
  let left: readonly Placed[] = expressionsIn(json, place);
  if (left.length === 0 || (await problemWith(patternsOf(left), context)) === null) return;
  // By halves: of many expressions few questions tell the first that is wrong.
  while (left.length > 1) {
    const [before, behind] = [left.slice(0, left.length >> 1), left.slice(left.length >> 1)];
    left = (await problemWith(patternsOf(before), context)) === null ? behind : before;
  }
  const [{ pattern, place: at }] = left as [Placed];
  throw invalidQuery(at, `is not ${WRONG}: ${await problemWith([pattern], context)}`);
}

const patternsOf = (placed: readonly Placed[]): string[] => placed.map(({ pattern }) => pattern);

async function firstOf<T>(items: readonly T[], isIt: (item: T) => Promise<boolean>): Promise<T | null> {
  for (const item of items.slice(0, MAX_TRIED)) if (await isIt(item)) return item;
  return null;
}

/** Asks the engine about all at once. */
async function problemWith(patterns: readonly string[], context: QueryContext): Promise<string | null> {
  try {
    const asked = sql`(SELECT unnest(${bind([...patterns], "VARCHAR[]")}) AS pattern)`;
    await selectRows(sql`SELECT count(regexp_matches('', pattern)) FROM ${asked}`, { maxRows: 1 }, context);
    return null;
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null) throw error;
    return problem;
  }
}

/** What a step of an action may match by a regular expression. */
const MATCHED = ["url", "text", "href"];

interface Placed {
  pattern: string;
  place: string;
}

/** The regular expressions of filters, of rules and of steps, with their places. */
function expressionsIn(json: Json, place = ""): Placed[] {
  const at = (name: string | number): string => (place === "" ? String(name) : `${place}.${name}`);
  if (Array.isArray(json)) return json.flatMap((item, i) => expressionsIn(item, at(i)));
  if (!isJsonObject(json)) return [];
  const { operator, regex } = json;
  const isOfFilter = operator === "regex" || operator === "not_regex";
  const own = isOfFilter ? [json.value ?? null].flat() : [];
  return [
    ...own.map((value) => ({ pattern: String(value), place: at("value") })),
    ...(typeof regex === "string" ? [{ pattern: regex, place: at("regex") }] : []),
    ...MATCHED.flatMap((name) =>
      json[`${name}_matching`] === "regex" ? [{ pattern: String(json[name] ?? ""), place: at(name) }] : [],
    ),
    ...Object.entries(json).flatMap(([name, value]) => expressionsIn(value, at(name))),
  ];
}

/** Functions of HogQL, and which of their values is a regular expression. */
const TAKES: Record<string, number> = {
  match: 1,
  extract: 1,
  extractAll: 1,
  extractGroups: 1,
  replaceRegexpAll: 1,
  replaceRegexpOne: 1,
  regexpReplace: 1,
  countMatches: 1,
  multiMatchAny: 1,
  splitByRegexp: 0,
};
const OPERATORS = new Set(["=~", "!~", "=~*", "!~*"]);

interface InText {
  pattern: string;
  start: number | null;
  end: number | null;
}

/** Those that are written in a HogQLQuery. */
async function expressionsOfHogql({ source, kind }: ParsedQuery, context: QueryContext): Promise<InText[]> {
  if (kind.name !== "HogQLQuery" || typeof source.query !== "string") return [];
  const found: InText[] = [];
  const take = (part: unknown): void => {
    const { node, value, exprs, start, end } = (part ?? {}) as Record<string, unknown>;
    const offset = (at: unknown) => (isJsonObject(at as Json) ? Number((at as { offset: number }).offset) : null);
    if (node === "Array" && Array.isArray(exprs)) exprs.forEach(take);
    if (node !== "Constant" || typeof value !== "string") return;
    found.push({ pattern: value, start: offset(start), end: offset(end) });
  };
  const look = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(look);
    if (typeof part !== "object" || part === null || Array.isArray(part)) return;
    const { node, name, args, op, right } = part as Record<string, unknown>;
    const index = node === "Call" && Object.hasOwn(TAKES, String(name)) ? TAKES[String(name)]! : null;
    if (index !== null && Array.isArray(args)) take(args[index]);
    if (node === "CompareOperation" && OPERATORS.has(String(op))) take(right);
    Object.values(part).forEach(look);
  };
  look(await parser.parse(source.query, context));
  return found;
}
