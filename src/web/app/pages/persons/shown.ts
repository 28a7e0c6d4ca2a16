import type { PropertyFilter } from "../../question/types.ts";
import { objectsInAddress } from "../parts/events/addressList.ts";

/** What of the list is shown. All of it stands in the address. */
export interface Shown {
  search: string;
  /** Of persons and cohorts; all must hold. */
  filters: readonly PropertyFilter[];
}

/** What the address asks to be shown. */
export function readShown({ search = "", filters = "" }: Readonly<Record<string, string>>): Shown {
  return { search, filters: objectsInAddress(filters) };
}

/** The address of a list, with what is shown of it. */
export function listAddress(path: string, { search, filters }: Shown): string {
  const query = new URLSearchParams();
  if (search !== "") query.set("search", search);
  if (filters.length > 0) query.set("filters", JSON.stringify(filters));
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
