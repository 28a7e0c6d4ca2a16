import type { Config } from "../../config.ts";
import type { Lake } from "../../lake/mod.ts";
import { type Db, type Environment, findEnvironment, listInsights } from "../../metadata/mod.ts";
import { runQuery } from "../../query/mod.ts";
import { describeError, type JsonObject, TerminalError } from "../../types/mod.ts";
import { parseBody } from "../http/body.ts";
import { knownFailure } from "../http/errors.ts";
import { nodeOfInsight } from "../insights/legacyFilters.ts";
import { Calculator } from "../query/calculator.ts";
import { withSource } from "../query/nodes.ts";
import { readArguments, usageError } from "./output.ts";

const USAGE = `usage: weir explain PROJECT FILE
       weir explain PROJECT --insight SHORT_ID

Runs a query and shows, of each statement that it took, the files and times it read, its values and its text.

  FILE       holds a query node as JSON, or HogQL; - is the standard input
  --insight  the saved insight of this short id
  PROJECT    is the id of an environment`;

/** What is asked, and of what. */
export interface ExplainParts {
  config: Config;
  db: Db;
  lake: Lake;
  log(line: string): void;
}

/**
 * `weir explain`. Throws TerminalError `invalid_arguments` or `not_found`, and what the API says to a query that cannot be
 * answered, with its code and in its words.
 */
export async function runExplain(
  argv: string[],
  parts: ExplainParts,
  print: (text: string) => void = console.log,
): Promise<void> {
  const { project, source } = readWish(argv);
  const environment = await environmentOf(project, parts.db);
  try {
    const node =
      "file" in source
        ? nodeOfText(await textOf(source.file), parts.config)
        : await savedNode(source.shortId, environment, parts.db);
    print((await explain(node, environment, parts)).join("\n"));
  } catch (error) {
    throw inWords(error);
  }
}

function readWish(argv: string[]): { project: string; source: { file: string } | { shortId: string } } {
  const { values, positionals } = readArguments(
    { args: argv, allowPositionals: true, options: { insight: { type: "string" } } },
    USAGE,
  );
  const [project, file, ...rest] = positionals;
  const shortId = values.insight;
  if (project !== undefined && rest.length === 0) {
    if (file !== undefined && shortId === undefined) return { project, source: { file } };
    if (file === undefined && shortId !== undefined) return { project, source: { shortId } };
  }
  throw usageError("Explain what? One file, or one insight.", USAGE);
}

async function environmentOf(project: string, db: Db): Promise<Environment> {
  const id = Number(project);
  const environment = Number.isSafeInteger(id) ? await db.read((tx) => findEnvironment(tx, id)) : null;
  if (environment === null) throw new TerminalError("not_found", `There is no environment ${project}.`);
  return environment;
}

async function textOf(file: string): Promise<string> {
  try {
    return await (file === "-" ? Bun.stdin : Bun.file(file)).text();
  } catch (error) {
    throw usageError(describeError(error), USAGE);
  }
}

/** No HogQL that can be answered begins with a brace. */
function nodeOfText(text: string, { jsonMaxDepth }: Config): JsonObject {
  const isJson = text.trimStart().startsWith("{");
  return isJson ? parseBody(text, { maxDepth: jsonMaxDepth }) : { kind: "HogQLQuery", query: text };
}

async function savedNode(shortId: string, { id: teamId }: Environment, db: Db): Promise<JsonObject> {
  const page = { column: "id", descending: false, limit: 1, offset: 0 };
  const { items } = await db.read((tx) => listInsights(tx, { teamId, shortId }, page));
  const [insight] = items;
  if (insight === undefined) throw new TerminalError("not_found", `There is no insight ${shortId}.`);
  const node = nodeOfInsight(insight);
  if (node === null) throw new TerminalError("not_found", `The insight ${shortId} has no query.`);
  return node;
}

async function explain(node: JsonObject, environment: Environment, parts: ExplainParts): Promise<string[]> {
  const calculator = new Calculator({ ...parts, runQuery, now: Date.now });
  const call = { environment, nowMs: Date.now(), request: new AbortController() };
  const asked = withSource(node, (source) => ({ ...source, explain: true }));
  return (await calculator.look(call, asked)).explain ?? [];
}

/** An error of the API as one of a command. */
function inWords(error: unknown): unknown {
  const known = knownFailure(error);
  if (known === null) return error;
  const { code, detail, extra } = known;
  return new TerminalError(code, extra === null ? detail : `${detail} (characters ${extra.start} to ${extra.end})`);
}
