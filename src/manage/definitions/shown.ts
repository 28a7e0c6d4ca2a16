import type { PropertyFilter } from "../../metadata/mod.ts";
import { flagParam, type Query, textParam } from "../http/query.ts";

/** Which definitions a list has, of events or of properties. */
export const SHOWN_QUERY = {
  search: textParam("Words, each a part of the name, the description or a tag."),
  exclude_hidden: flagParam("Without those that are hidden."),
  hidden: flagParam("Only those that are hidden, or only the others."),
  verified: flagParam("Only those that are verified, or only the others."),
};

/** What `SHOWN_QUERY` says. */
export function readShown(query: Query): Pick<PropertyFilter, "search" | "isHidden" | "isVerified"> {
  const flag = (name: string) => (query.get(name) ? query.get(name)!.toLowerCase() === "true" : undefined);
  return {
    search: query.get("search") || undefined,
    isHidden: flag("exclude_hidden") === true ? false : flag("hidden"),
    isVerified: flag("verified"),
  };
}
