import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./codes.ts";
import { endOfValue, skipBlanks, stringEnd } from "./positions.ts";

/**
 * Calls back for each member of a JSON object's text, in order, with where its raw key (between the quotes) and its value
 * stand. The text must be valid JSON, as all accepted properties are; another value than an object has no members.
 */
export function eachMember(
  text: string,
  visit: (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void,
): void {
  let at = skipBlanks(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return;
  at = skipBlanks(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(text, at);
    const valueStart = skipBlanks(text, skipBlanks(text, keyEnd + 1) + 1);
    const valueEnd = endOfValue(text, valueStart);
    visit(at + 1, keyEnd, valueStart, valueEnd);
    // The comma, or the brace that ends the object.
    at = skipBlanks(text, skipBlanks(text, valueEnd) + 1);
  }
}

/** The texts of a list's items; another value than a list has none. The text must be valid JSON. */
export function itemsOf(text: string): string[] {
  const items: string[] = [];
  let at = skipBlanks(text, 0);
  if (text.charCodeAt(at) !== OPEN_ARRAY) return items;
  at = skipBlanks(text, at + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_ARRAY) {
    const end = endOfValue(text, at);
    items.push(text.slice(at, end));
    at = skipBlanks(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
  }
  return items;
}

/** The members of an object's text: value texts by key; of equal keys the last, as everywhere in JSON. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  eachMember(text, (keyStart, keyEnd, valueStart, valueEnd) => {
    members.set(keyText(text, keyStart, keyEnd), text.slice(valueStart, valueEnd));
  });
  return members;
}

/** Members as they stand between the braces of an object. */
export function printMembers(all: ReadonlyMap<string, string>): string {
  return Array.from(all, ([key, value]) => `${JSON.stringify(key)}:${value}`).join(",");
}

/** An object's text with members added behind its own, which must have other keys; its own stay to the letter. */
export function withMembers(object: string, added: ReadonlyMap<string, string>): string {
  if (added.size === 0) return object;
  const isEmpty = object.charCodeAt(skipBlanks(object, object.indexOf("{") + 1)) === CLOSE_OBJECT;
  return `${object.slice(0, object.lastIndexOf("}"))}${isEmpty ? "" : ","}${printMembers(added)}}`;
}

/** A key by where its raw text stands. */
export function keyText(text: string, start: number, end: number): string {
  const raw = text.slice(start, end);
  return raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
}
