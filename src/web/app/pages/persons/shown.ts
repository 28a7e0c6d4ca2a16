import type { PropertyFilter } from "../../question/types.ts";

/** What of the list is shown. All of it stands in the address. */
export interface Shown {
  search: string;
  /** Of persons and cohorts; all must hold. */
  filters: readonly PropertyFilter[];
}

/** What the address asks to be shown. */
export function readShown({ search = "", filters = "" }: Readonly<Record<string, string>>): Shown {
  return { search, filters: filtersIn(filters) };
}

function filtersIn(text: string): readonly PropertyFilter[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
  } catch {
    return [];
  }
}

/** The address of a list, with what is shown of it. */
export function listAddress(path: string, { search, filters }: Shown): string {
  const query = new URLSearchParams();
  if (search !== "") query.set("search", search);
  if (filters.length > 0) query.set("filters", JSON.stringify(filters));
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
