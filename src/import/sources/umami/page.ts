import type { Fields } from "../../fields.ts";
import { addPage, addReferrer, type Properties, parseUrl } from "../../mapping/mod.ts";

/** The page of an event, and the one before it. */
export function addPages(fields: Fields, properties: Properties): void {
  const host = fields.text("hostname");
  const path = fields.text("url_path");
  properties.add("$host", host);
  properties.add("$pathname", path);
  if (host !== null && path !== null) addPage(properties, `https://${host}${path}${queryOf(fields.text("url_query"))}`);
  addReferrer(properties, referrerOf(fields, host));
  properties.add("title", fields.text("page_title"));
}

/** Pages of the same website have no domain; apps are an address of their own. */
function referrerOf(fields: Fields, host: string | null): string | null {
  const path = fields.text("referrer_path") ?? "";
  if (parseUrl(path) !== null) return path;
  const domain = fields.text("referrer_domain") ?? (path === "" ? null : host);
  const query = queryOf(fields.text("referrer_query"));
  return domain === null ? null : `https://${domain}${path}${query}`;
}

function queryOf(query: string | null): string {
  if (query === null) return "";
  return query.startsWith("?") ? query : `?${query}`;
}
