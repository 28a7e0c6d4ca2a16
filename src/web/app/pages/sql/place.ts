import { plain } from "./known.ts";

/** Where somebody writes, as far as it decides what can stand there. */
export type Place =
  /** A name, behind the names before it: `e.properties.` has ["e", "properties"]. */
  | { kind: "name"; from: number; path: readonly string[]; isTable: boolean }
  /** The name of an event in quotes. */
  | { kind: "event"; from: number }
  /** Behind `{`. */
  | { kind: "placeholder"; from: number }
  /** A text or a comment. */
  | { kind: "none" };

const NAME = "(?:`(?:[^`\\\\]|``)*`|[A-Za-z_$][\\w$]*)";
const PATH = new RegExp(`((?:${NAME}\\.)+)(\`[^\`]*|[\\w$]*)$`);
const EVENT = /(?:^|[^\w.$`])(?:[\w$]+\.)?event\s*(?:=|==|!=|<>|\b(?:not\s+)?in\s*[([][^)\]]*)\s*$/i;

/** What can stand at the end of a text. */
export function placeAt(before: string): Place {
  const open = openAt(before);
  if (open?.mark === "'") {
    return EVENT.test(before.slice(0, open.at)) ? { kind: "event", from: open.at + 1 } : { kind: "none" };
  }
  if (open !== null && open.mark !== "`") return { kind: "none" };
  const braces = /\{\s*([\w.]*)$/.exec(before);
  if (braces !== null) return { kind: "placeholder", from: before.length - braces[1]!.length };
  const path = PATH.exec(before);
  if (path !== null) {
    const names = path[1]!.match(new RegExp(NAME, "g")) ?? [];
    return { kind: "name", from: before.length - path[2]!.length, path: names.map(plain), isTable: false };
  }
  const word = /(?:`[^`]*|[\w$]*)$/.exec(before)![0];
  const from = before.length - word.length;
  return { kind: "name", from, path: [], isTable: /\b(?:from|join)\s+$/i.test(before.slice(0, from)) };
}

/** The quote or the comment that is open at the end of a text; null: none is. */
function openAt(text: string): { mark: string; at: number } | null {
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    const pair = text.slice(at, at + 2);
    const end = pair === "--" ? "\n" : pair === "/*" ? "*/" : "'`\"".includes(sign) ? sign : null;
    if (end === null) continue;
    const until = endOf(text, at + (end === "*/" || end === "\n" ? 2 : 1), end);
    if (until < 0) return { mark: end, at };
    at = until + end.length - 1;
  }
  return null;
}

/** Where something that is open ends; -1: it does not. A backslash takes the next sign along. */
function endOf(text: string, from: number, end: string): number {
  if (end === "\n" || end === "*/") return text.indexOf(end, from);
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === end) return at;
  }
  return -1;
}

const AFTER_TABLE =
  /^(?:where|on|using|group|order|limit|left|right|inner|full|cross|join|array|having|union|as|prewhere|window|qualify|offset|sample|final|any|asof|outer|settings|intersect|except)$/i;

/** The tables that a text names in FROM and JOIN, by what it calls them. */
export function tablesOf(text: string): ReadonlyMap<string, string> {
  const tables = new Map<string, string>();
  for (const [, table, alias] of text.matchAll(/\b(?:from|join)\s+([A-Za-z_]\w*)(?:\s+(?:as\s+)?([A-Za-z_]\w*))?/gi)) {
    tables.set(table!, table!);
    if (alias !== undefined && !AFTER_TABLE.test(alias)) tables.set(alias, table!);
  }
  return tables;
}

/** The names that a text gives to its columns with AS. */
export function columnNames(text: string): readonly string[] {
  const names = Array.from(text.matchAll(/\bas\s+(`[^`]+`|[A-Za-z_$][\w$]*)/gi), ([, name]) => plain(name!));
  return [...new Set(names)];
}
