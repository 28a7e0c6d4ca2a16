import type { FilterGroup, PropertyFilter } from "../../../question/types.ts";

/** What stands over all insights of a board. Members that are not known here are kept. */
export interface BoardFilters {
  date_from?: string | null;
  date_to?: string | null;
  properties?: readonly PropertyFilter[];
  [member: string]: unknown;
}

const NAME = "filters";

/** Those in the fragment of an address, which looks at a board in another way without changing it. */
export function readFragment(hash: string): BoardFilters {
  const text = new URLSearchParams(hash.replace(/^#/, "")).get(NAME);
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isFilters(value) ? value : {};
  } catch {
    return {};
  }
}

/** The fragment with these filters; empty for none. */
export function writeFragment(filters: BoardFilters): string {
  return Object.keys(filters).length === 0 ? "" : `#${new URLSearchParams({ [NAME]: JSON.stringify(filters) })}`;
}

/** A plain list: the filters of a board have no groups. */
export function asList(value: FilterGroup | readonly PropertyFilter[] | undefined): readonly PropertyFilter[] {
  if (value === undefined) return [];
  return isGroup(value) ? value.values.flatMap(({ values }) => values) : value;
}

const isGroup = (value: FilterGroup | readonly PropertyFilter[]): value is FilterGroup => !Array.isArray(value);

/** Whether any of them changes what an insight asks. */
export function isActive(filters: BoardFilters): boolean {
  const { date_from: from, date_to: to, properties, breakdown_filter: breakdown } = filters;
  return [from, to, breakdown].some((value) => value !== null && value !== undefined) || (properties ?? []).length > 0;
}

/** The changes to filters that really change them. */
export function differing(saved: BoardFilters, changes: BoardFilters): BoardFilters {
  const isEmpty = (value: unknown) => value == null || (Array.isArray(value) && value.length === 0);
  const isEqual = (a: unknown, b: unknown) => (isEmpty(a) && isEmpty(b)) || JSON.stringify(a) === JSON.stringify(b);
  return Object.fromEntries(Object.entries(changes).filter(([name, value]) => !isEqual(saved[name], value)));
}

/** Filters as they are saved: without members that say nothing. */
export function saved(filters: BoardFilters): BoardFilters {
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value != null && !(Array.isArray(value) && value.length === 0)),
  );
}

function isFilters(value: unknown): value is BoardFilters {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { date_from: from, date_to: to, properties } = value as Record<string, unknown>;
  const isDate = (date: unknown) => date === undefined || date === null || typeof date === "string";
  const isRead = properties === undefined || (Array.isArray(properties) && properties.every(isFilter));
  return isDate(from) && isDate(to) && isRead;
}

function isFilter(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { type, key } = value as Record<string, unknown>;
  return typeof type === "string" && typeof key === "string";
}
