import type { PropertyFilter } from "../../question/types.ts";

export type Matching = "contains" | "regex" | "exact";

/** Conditions of which all must hold; what is null is not asked for (docs/queries.md, "Property filters"). */
export interface Step {
  event: string | null;
  properties: readonly PropertyFilter[] | null;
  selector: string | null;
  tag_name: string | null;
  text: string | null;
  text_matching: Matching | null;
  href: string | null;
  href_matching: Matching | null;
  url: string | null;
  url_matching: Matching | null;
}

export const AUTOCAPTURE = "$autocapture";
/** The most that an action has. */
export const STEPS_MAX = 100;

export const newStep = (event: string | null): Step => ({
  event,
  properties: null,
  selector: null,
  tag_name: null,
  text: null,
  text_matching: null,
  href: null,
  href_matching: null,
  url: null,
  url_matching: "contains",
});

export const MATCHINGS = [
  { value: "exact", label: "is" },
  { value: "contains", label: "contains" },
  { value: "regex", label: "matches" },
] as const;

/** A step as the API takes it: texts without words ask for nothing. */
export function toldOf(step: Step): Step {
  const texts = (["selector", "tag_name", "text", "href", "url"] as const).filter((name) => step[name]?.trim() === "");
  const properties = step.properties?.length === 0 ? null : step.properties;
  return { ...step, properties, ...Object.fromEntries(texts.map((name) => [name, null])) };
}

/** The step of another event: what was asked of a click goes where nothing is clicked. */
export function withEvent(step: Step, event: string | null): Step {
  if (event === AUTOCAPTURE) return { ...step, event };
  const { url, url_matching, properties } = step;
  return { ...newStep(event), url, url_matching, properties };
}

/** Steps as they were saved, by this page or by another program. */
export function stepsOf(saved: readonly Readonly<Record<string, unknown>>[]): readonly Step[] {
  return saved.map((step) => {
    const text = (name: string) => (typeof step[name] === "string" ? (step[name] as string) : null);
    const matching = (name: string) => MATCHINGS.find(({ value }) => value === step[name])?.value ?? null;
    const { properties } = step;
    return {
      event: text("event"),
      properties: Array.isArray(properties) ? (properties as PropertyFilter[]) : ((properties ?? null) as null),
      selector: text("selector"),
      tag_name: text("tag_name"),
      text: text("text"),
      text_matching: matching("text_matching"),
      href: text("href"),
      href_matching: matching("href_matching"),
      url: text("url"),
      url_matching: matching("url_matching"),
    };
  });
}
