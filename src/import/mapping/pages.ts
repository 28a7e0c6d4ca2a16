import type { Json } from "../../types/mod.ts";
import type { Properties } from "./properties.ts";
import { textOf } from "./values.ts";

/** What an address says of a page, where the properties do not say it already: `$current_url`, `$host`, `$pathname`. */
export function addPage(properties: Properties, address: Json | undefined): void {
  const text = textOf(address);
  if (text === null) return;
  properties.add("$current_url", text);
  const url = parseUrl(text);
  properties.add("$host", url?.host);
  properties.add("$pathname", url?.pathname);
}

/** `$referrer`, and `$referring_domain` by its address. */
export function addReferrer(properties: Properties, address: Json | undefined): void {
  const text = textOf(address);
  if (text === null) return;
  properties.add("$referrer", text);
  properties.add("$referring_domain", parseUrl(text)?.host);
}

/** An address with a host; null for anything else. */
export function parseUrl(text: string): URL | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
