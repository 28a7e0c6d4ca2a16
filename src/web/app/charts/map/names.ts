import { valueName } from "../../format/name.ts";

const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** A country's name by its two letters; what is no such code is a name itself. */
export function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return valueName(code);
  return names.of(code) ?? code;
}
