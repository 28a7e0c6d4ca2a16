import { HogqlError } from "../../shape/errors.ts";
import { extentOf } from "./extent.ts";
import { type Asker, Lane } from "./parseLane.ts";
import { lostClause, skeletonOf } from "./prescan.ts";
import type { Query } from "./tree.ts";

/** A parser that has parsed before can take minutes for calls nested deeper than this; a fresh one takes a second. */
const WARM_DEPTH = 4;
/** Few texts are deep: their thread ends when none has come for this long. */
const DEEP_IDLE_MS = 60_000;
/** Characters of trees kept. */
const CACHE_MAX_CHARS = 16_000_000;

interface ParserError {
  error: true;
  message: string;
  start: { offset: number };
  end: { offset: number };
}

type Outcome = { tree: Query } | { error: HogqlError };

/** Parses HogQL in worker threads and keeps the trees by text. */
export class Parser {
  private readonly warm = new Lane({ isFresh: false, idleMs: null });
  private readonly deep = new Lane({ isFresh: true, idleMs: DEEP_IDLE_MS });
  /** In order of last use. */
  private readonly cache = new Map<string, { outcome: Outcome; chars: number }>();
  private cachedChars = 0;

  /**
   * The tree of a SELECT. It is shared: never change it.
   * Errors: HogqlError for what is no HogQL, too long, too deep or too slow; RetryableError `queries_busy`; TerminalError
   * `query_timeout`, `query_cancelled`.
   */
  async parse(text: string, asker: Asker): Promise<Query> {
    const outcome = this.cached(text) ?? (await this.parseNew(text, asker));
    if ("error" in outcome) throw outcome.error;
    return outcome.tree;
  }

  /** Ends the workers. */
  close(): void {
    this.warm.stop();
    this.deep.stop();
  }

  private cached(text: string): Outcome | null {
    const entry = this.cache.get(text);
    if (entry === undefined) return null;
    this.cache.delete(text);
    this.cache.set(text, entry);
    return entry.outcome;
  }

  private async parseNew(text: string, asker: Asker): Promise<Outcome> {
    const { maxBytes, maxTokens, maxDepth } = asker.limits.text;
    if (Buffer.byteLength(text) > maxBytes) throw new HogqlError(`The query is longer than ${maxBytes} bytes.`);
    const skeleton = skeletonOf(text);
    const lost = lostClause(skeleton);
    if (lost !== null) throw new HogqlError(`${lost.clause} is not supported.`, lost.start, lost.end);
    const { depth, tokens } = extentOf(skeleton);
    if (tokens > maxTokens) throw new HogqlError(`The query has more than ${maxTokens} words and signs.`);
    if (depth > maxDepth) throw new HogqlError(`The query nests more than ${maxDepth} levels deep.`);
    const json = await (depth > WARM_DEPTH ? this.deep : this.warm).parse(text, asker);
    const parsed = JSON.parse(withAllNumbers(json)) as Query | ParserError;
    const outcome = "error" in parsed ? { error: syntaxError(parsed) } : { tree: parsed };
    this.keep(text, outcome, json.length + text.length);
    return outcome;
  }

  private keep(text: string, outcome: Outcome, chars: number): void {
    if (this.cache.has(text)) return;
    this.cache.set(text, { outcome, chars });
    this.cachedChars += chars;
    for (const [oldest, entry] of this.cache) {
      if (this.cachedChars <= CACHE_MAX_CHARS) break;
      this.cache.delete(oldest);
      this.cachedChars -= entry.chars;
    }
  }
}

/** Whole numbers that a JavaScript number would round, as texts; and what JSON has no number for, apart from texts that read alike. */
function withAllNumbers(json: string): string {
  // Inside of a JSON text the quotes would have backslashes.
  return json
    .replace(/"value":(-?\d{16,})(?=[,}])/g, '"value":{"value":"$1","value_type":"integer"}')
    .replace(/"value":("(?:NaN|-?Infinity)","value_type":"number")/g, '"value":{"value":$1}');
}

function syntaxError(error: ParserError): HogqlError {
  const expecting = error.message.indexOf(" expecting {");
  const message = expecting < 0 ? error.message.slice(0, 300) : error.message.slice(0, expecting);
  return new HogqlError(`${message} (at character ${error.start.offset})`, error.start.offset, error.end.offset);
}

/** The process's own. */
export const parser = new Parser();
