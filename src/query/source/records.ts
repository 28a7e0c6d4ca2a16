import type { Json, PropertyOwner, PropertyType } from "../../types/mod.ts";

/** A cohort: a static list of persons, or all who meet property filters now. */
export interface CohortRecord {
  id: number;
  name: string;
  isStatic: boolean;
  /** A group of filters of persons and other cohorts; null for a static one. */
  properties: Json;
  /** Who was put on the list of a static one, by the ids of then: merges since are followed when it is read. */
  personIds: readonly string[];
}

/** An action: an event matches when it matches any of the steps. */
export interface ActionRecord {
  id: number;
  name: string;
  steps: readonly ActionStep[];
}

/** Conditions of which all must hold; what is null or absent does not count (docs/queries.md#property-filters). */
export interface ActionStep {
  event: string | null;
  /** A list of property filters. */
  properties: Json;
  url: string | null;
  urlMatching: "contains" | "regex" | "exact" | null;
  text: string | null;
  textMatching: "contains" | "regex" | "exact" | null;
  href: string | null;
  hrefMatching: "contains" | "regex" | "exact" | null;
  tagName: string | null;
  selector: string | null;
}

/** What the project's records say to its queries, read before a query is compiled. */
export interface QueryRecords {
  propertyType(owner: PropertyOwner, key: string): PropertyType | null;
  /** Null for one that does not exist or was deleted. */
  cohort(id: number): CohortRecord | null;
  cohortNamed(name: string): CohortRecord | null;
  action(id: number): ActionRecord | null;
  actionNamed(name: string): ActionRecord | null;
  /** The records by which the conditions of cohorts and actions are read; these themselves where absent. */
  inside?: QueryRecords;
}
