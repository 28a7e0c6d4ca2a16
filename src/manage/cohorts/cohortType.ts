import type { ObjectContents } from "../../metadata/mod.ts";
import { isJsonObject, type Json } from "../../types/mod.ts";

/** PostHog's names for what a cohort looks at, the simplest first. */
export const COHORT_TYPES = ["static", "person_property", "behavioral", "analytical"] as const;
type CohortType = (typeof COHORT_TYPES)[number];

/** Behavior that PostHog can follow event by event; the rest needs an analysis. */
const SIMPLE: ReadonlySet<unknown> = new Set(["performed_event", "performed_event_multiple"]);

/** The type of a cohort: of what it looks at, the furthest in the list. */
export function typeOf({ isStatic, filters }: ObjectContents["cohort"]): CohortType {
  const types = isStatic ? [] : typesIn(filters.properties ?? null);
  return COHORT_TYPES.findLast((type) => types.includes(type)) ?? (isStatic ? "static" : "person_property");
}

function typesIn(filters: Json): CohortType[] {
  if (Array.isArray(filters)) return filters.flatMap(typesIn);
  if (!isJsonObject(filters)) return [];
  if (filters.type === "behavioral") return [SIMPLE.has(filters.value) ? "behavioral" : "analytical"];
  return typesIn(filters.values ?? null);
}
