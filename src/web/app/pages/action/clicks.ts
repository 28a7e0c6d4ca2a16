import type { Event as ListedEvent } from "../../api/schema.ts";

export type ClickedElement = ListedEvent["elements"][number];

/** What was clicked lately, once for each element. */
export interface Click {
  /** Tells it from others. */
  key: string;
  text: string | null;
  href: string | null;
  selector: string | null;
  tag: string | null;
  url: string | null;
  /** In how many of the events that were read. */
  count: number;
}

/** The elements that events clicked, the most frequent first. */
export function clicksOf(events: readonly ListedEvent[]): readonly Click[] {
  const clicks = new Map<string, Click>();
  for (const { elements, properties } of events) {
    const [innermost] = elements;
    if (innermost === undefined) continue;
    const texts = elements.map(({ text }) => text).find((one) => one !== null && one !== "") ?? null;
    const href = elements.map((one) => one.href).find((one) => one !== null && one !== "") ?? null;
    const selector = selectorOf(elements);
    const url = typeof properties.$current_url === "string" ? properties.$current_url : null;
    const key = JSON.stringify([texts, href, selector]);
    const { count = 0 } = clicks.get(key) ?? {};
    clicks.set(key, { key, text: texts, href, selector, tag: innermost.tag_name, url, count: count + 1 });
  }
  return [...clicks.values()].sort((a, b) => b.count - a.count);
}

/** Attributes that people give to elements for tests and analytics: they outlive a change of looks. */
const NAMED_BY = ["data-attr", "data-testid", "data-test", "data-test-id", "data-cy", "data-id"];
const CLASSES_MAX = 2;

/**
 * The shortest selector that is likely to stay: of the element itself, or of what is around it and the element's tag. Null where the
 * element has no tag. Elements: the innermost first.
 */
export function selectorOf(elements: readonly ClickedElement[]): string | null {
  const [innermost] = elements;
  const tag = innermost?.tag_name ?? null;
  if (innermost === undefined || tag === null || !/^[\w-]+$/.test(tag)) return null;
  const named = nameOf(innermost);
  if (named !== null) return named.startsWith("#") ? named : `${tag}${named}`;
  const around = elements
    .slice(1)
    .map(nameOf)
    .find((one) => one !== null);
  const own = tag + classesOf(innermost);
  return around === undefined ? own : `${around} ${own}`;
}

/** By what somebody named an element. */
function nameOf({ attributes, attr_id: id }: ClickedElement): string | null {
  for (const name of NAMED_BY) {
    const value = attributes[`attr__${name}`];
    if (typeof value === "string" && value !== "" && !/["\\\]]/.test(value)) return `[${name}="${value}"]`;
  }
  return id !== null && /^[A-Za-z_][\w-]*$/.test(id) ? `#${id}` : null;
}

function classesOf({ attr_class: classes }: ClickedElement): string {
  return (classes ?? [])
    .filter((one) => /^[A-Za-z_][\w-]*$/.test(one))
    .slice(0, CLASSES_MAX)
    .map((one) => `.${one}`)
    .join("");
}
