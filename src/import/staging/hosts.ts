import { UsageError } from "../../types/mod.ts";

/** The address of an API that an option names, without a slash at the end; null where it was not given. Throws UsageError. */
export function readHost(text: string | boolean | undefined, option: string): string | null {
  if (text === undefined) return null;
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return String(text).replace(/\/+$/, "");
  throw new UsageError(`--${option} takes an address, such as https://example.com.`);
}
