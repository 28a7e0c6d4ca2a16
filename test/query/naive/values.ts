import type { TestEvent } from "../../support/memoryLake.ts";
import { HOGQL_VALUES } from "./hogql.ts";
import { numberIn, subjectText, type World } from "./world.ts";

export const NULL = "$$_posthog_breakdown_null_$$";
export const OTHER = "$$_posthog_breakdown_other_$$";

/** A property that a breakdown tells events apart by (docs/queries.md#breakdowns). */
export interface NaivePart {
  property: string;
  type?: string;
  group_type_index?: number;
  histogram_bin_count?: number;
  normalize_url?: boolean;
}

/** How an event's value of a part of a breakdown is read; bins lie between the numbers of `inside`. */
export function valueReader(part: NaivePart, inside: TestEvent[], world: World): (event: TestEvent) => string {
  const named = { type: part.type, key: part.property, group_type_index: part.group_type_index };
  if (part.type === "hogql") return HOGQL_VALUES.get(part.property)!;
  const textIn = (event: TestEvent): string | null => subjectText(event, named, world);
  if (part.histogram_bin_count !== undefined) {
    const numbers = inside.map((event) => numberIn(textIn(event))).filter((number) => number !== null);
    const bins = binsOf(numbers, part.histogram_bin_count);
    return (event) => {
      const number = numberIn(textIn(event));
      return number === null ? NULL : (bins.findLast((bin) => bin.from <= number)?.label ?? NULL);
    };
  }
  const type = (part.type ?? "event") === "event" ? world.types[part.property] : undefined;
  return (event) => {
    const text = textIn(event);
    if (text === null) return NULL;
    if (part.normalize_url) return text.replace(/[/?#]+$/, "") || "/";
    if (type === "Boolean") return text === "true" || text === "false" ? text : NULL;
    if (type === "Numeric") return numberIn(text) === null ? NULL : String(numberIn(text));
    return text === "" ? NULL : text;
  };
}

function binsOf(numbers: number[], count: number): { from: number; label: string }[] {
  if (numbers.length === 0) return [];
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const width = (high - low) / count;
  return Array.from({ length: count }, (_, i) => {
    const from = low + i * width;
    const to = i === count - 1 ? high + 0.01 : low + (i + 1) * width;
    return { from, label: `[${from},${to}]` };
  });
}
