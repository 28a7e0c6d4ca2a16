import type { Config } from "../../config.ts";
import type { Lake } from "../../lake/mod.ts";
import { type Environment, findEnvironment, listInsights } from "../../metadata/mod.ts";
import { runQuery, withSource } from "../../query/mod.ts";
import type { Db } from "../../store/mod.ts";
import { describeError, type JsonObject, TerminalError, UsageError } from "../../types/mod.ts";
import { parseBody } from "../http/body.ts";
import { knownFailure } from "../http/errors.ts";
import { nodeOfInsight } from "../insights/show.ts";
import { Calculator } from "../query/calculator.ts";

/** What is to be explained. */
export interface ExplainWish {
  /** The id of an environment. */
  project: number;
  /** A file with a query node as JSON, or HogQL; `-` is the standard input. Or a saved insight. */
  source: { file: string } | { shortId: string };
}

/** What is asked, and of what. */
interface ExplainParts {
  config: Config;
  db: Db;
  lake: Lake;
  log(line: string): void;
}

/**
 * The statements behind a query, as `weir explain` prints them. Throws UsageError for a file that cannot be read, TerminalError
 * `not_found`, and what the API says to a query that cannot be answered, with its code and in its words.
 */
export async function explainQuery({ project, source }: ExplainWish, parts: ExplainParts): Promise<string> {
  const environment = await environmentOf(project, parts.db);
  try {
    const node =
      "file" in source
        ? nodeOfText(await textOf(source.file), parts.config)
        : await savedNode(source.shortId, environment, parts.db);
    return (await explain(node, environment, parts)).join("\n");
  } catch (error) {
    throw inWords(error);
  }
}

async function environmentOf(id: number, db: Db): Promise<Environment> {
  const environment = await db.read((tx) => findEnvironment(tx, id));
  if (environment === null) throw new TerminalError("not_found", `There is no environment ${id}.`);
  return environment;
}

async function textOf(file: string): Promise<string> {
  try {
    return await (file === "-" ? Bun.stdin : Bun.file(file)).text();
  } catch (error) {
    throw new UsageError(describeError(error));
  }
}

/** No HogQL that can be answered begins with a brace. */
function nodeOfText(text: string, { jsonMaxDepth }: Config): JsonObject {
  const isJson = text.trimStart().startsWith("{");
  return isJson ? parseBody(text, { maxDepth: jsonMaxDepth }) : { kind: "HogQLQuery", query: text };
}

async function savedNode(shortId: string, { id: teamId }: Environment, db: Db): Promise<JsonObject> {
  const page = { column: "id", descending: false, limit: 1, offset: 0 };
  const { items } = await db.read((tx) => listInsights(tx, { teamId, visible: null, shortId }, page));
  const [insight] = items;
  if (insight === undefined) throw new TerminalError("not_found", `There is no insight ${shortId}.`);
  const node = nodeOfInsight(insight);
  if (node === null) throw new TerminalError("not_found", `The insight ${shortId} has no query.`);
  return node;
}

async function explain(node: JsonObject, environment: Environment, parts: ExplainParts): Promise<string[]> {
  const calculator = new Calculator({ ...parts, runQuery, now: Date.now, remote: null });
  const call = { environment, caller: null, nowMs: Date.now(), request: new AbortController() };
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
