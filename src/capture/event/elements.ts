import { cleanText, OPEN_ARRAY, QUOTE } from "../../json/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { PROPERTY } from "../outline/keys.ts";
import type { Members } from "../outline/outline.ts";
import type { PropertiesEdit } from "./propertiesEdit.ts";

const TEXT_MAX_UNITS = 400;
const HREF_MAX_UNITS = 2048;

/** Takes the clicked element and its parents out of the properties; gives their text form, "" when there are none. */
export function takeElementsChain(event: Members, edit: PropertiesEdit): string {
  const hasChain = event.typeOf(PROPERTY.$elements_chain) === QUOTE;
  const hasElements = event.typeOf(PROPERTY.$elements) === OPEN_ARRAY;
  if (hasElements) edit.remove(PROPERTY.$elements);
  if (hasChain) {
    edit.remove(PROPERTY.$elements_chain);
    return cleanText(event.string(PROPERTY.$elements_chain)!);
  }
  return hasElements ? cleanText(elementsChain(JSON.parse(event.raw(PROPERTY.$elements)) as Json[])) : "";
}

/**
 * `button.big.red:attr__class="big red"nth-child="1"nth-of-type="2"text="Buy";div:…`: one part an element, from the
 * clicked one up; classes and attributes sorted, quotes in values with a backslash.
 */
export function elementsChain(elements: Json[]): string {
  const parts: string[] = [];
  for (const element of elements) {
    if (typeof element !== "object" || element === null || Array.isArray(element)) continue;
    const tag = typeof element.tag_name === "string" ? element.tag_name : "";
    parts.push(`${tag}${classesOf(element)}:${attributesOf(element)}`);
  }
  return parts.join(";");
}

function classesOf(element: JsonObject): string {
  const given = element.attr__class;
  const classes = typeof given === "string" ? given.split(/\s+/) : Array.isArray(given) ? given.map(textOf) : [];
  const sorted = classes.filter((name) => name !== "").sort();
  return sorted.map((name) => `.${name.replaceAll('"', "")}`).join("");
}

function attributesOf(element: JsonObject): string {
  const found: Record<string, string> = {
    "nth-child": textOf(element.nth_child ?? 0),
    "nth-of-type": textOf(element.nth_of_type ?? 0),
  };
  const text = textOf(element.$el_text ?? element.text ?? "");
  const href = textOf(element.attr__href ?? "");
  const id = textOf(element.attr__id ?? "");
  if (text !== "") found.text = text.slice(0, TEXT_MAX_UNITS);
  if (href !== "") found.href = href.slice(0, HREF_MAX_UNITS);
  if (id !== "") found.attr_id = id;
  for (const [key, value] of Object.entries(element)) if (key.startsWith("attr__")) found[key] = textOf(value);
  const keys = Object.keys(found).sort();
  return keys.map((key) => `${escapeQuotes(key)}="${escapeQuotes(found[key]!)}"`).join("");
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function escapeQuotes(text: string): string {
  return text.replaceAll('"', '\\"');
}
