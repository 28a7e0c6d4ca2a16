import type { FilterGroup, PropertyFilter } from "./types.ts";

interface PropertyFiltersProps {
  projectId: number;
  /** Groups; a plain list is one group whose filters must all hold. */
  value: FilterGroup | readonly PropertyFilter[] | undefined;
  onChange(value: FilterGroup | undefined): void;
  events?: readonly string[];
  /** Without groups: only a list, as series have. */
  isFlat?: boolean;
}

/** Filters of events and persons, in groups. */
export function PropertyFilters(_props: PropertyFiltersProps) {
  return null;
}
