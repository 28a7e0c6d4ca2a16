import { describeError, type Json, TerminalError } from "../types/mod.ts";
import { type EventText, isObject } from "./normalise.ts";
import { members, type Outline, outline } from "./scan.ts";
import { outerToken, sharedToken } from "./token.ts";

/** A request's events, whichever of the three shapes it had: one event, `{api_key, batch: […]}`, or a bare array. */
export interface Payload {
  /** Well-formed project key; whether it exists is not known yet. */
  token: string;
  isHistorical: boolean;
  /** As parsed, and not checked one by one yet. */
  items: Json[];
  /** The text of item `index`; good until the next call. */
  textOf(index: number): EventText;
}

/**
 * Throws TerminalError `invalid_payload` (not JSON, too deep, no such shape), `empty_batch`, `missing_api_key`,
 * `invalid_api_key`.
 */
export function parsePayload(text: string, maxDepth: number): Payload {
  const spans = outline(text, maxDepth); // first: it refuses what would overflow the parser
  const root = parseJson(text);
  const texts = new ItemTexts(text, spans);
  if (Array.isArray(root)) {
    return { token: sharedToken(nonEmpty(root)), isHistorical: false, items: root, textOf: (i) => texts.at(i) };
  }
  if (!isObject(root)) throw invalid("expected an event, a batch or an array of events");
  if (Array.isArray(root.batch)) {
    const items = nonEmpty(root.batch);
    const isHistorical = root.historical_migration === true;
    return { token: outerToken(root), isHistorical, items, textOf: (i) => texts.at(i) };
  }
  if (root.batch !== undefined && root.event === undefined) throw invalid("batch must be an array of events");
  spans.useRoot();
  return { token: sharedToken([root]), isHistorical: false, items: [root], textOf: (i) => texts.at(i) };
}

/** One cursor for all items. */
class ItemTexts implements EventText {
  private index = 0;
  private readonly text: string;

  constructor(
    text: string,
    private readonly spans: Outline,
  ) {
    this.text = withoutBreaks(text);
  }

  at(index: number): EventText {
    this.index = index;
    return this;
  }

  properties(): string {
    return this.spans.properties(this.text, this.index);
  }

  members(): Map<string, string> {
    return members(this.text, this.spans.eventStart(this.index));
  }
}

/** In valid JSON these stand between tokens only; one for one, so that spans stay true. */
function withoutBreaks(text: string): string {
  const hasBreaks = text.includes("\n") || text.includes("\r") || text.includes("\t");
  return hasBreaks ? text.replace(/[\t\n\r]/g, " ") : text;
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw invalid(describeError(error));
  }
}

function nonEmpty(items: Json[]): Json[] {
  if (items.length === 0) throw new TerminalError("empty_batch", "request holds no event");
  return items;
}

function invalid(detail: string): TerminalError {
  return new TerminalError("invalid_payload", `failed to parse request: ${detail}`);
}
