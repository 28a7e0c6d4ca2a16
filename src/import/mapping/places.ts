const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** Where the usual name of a country is another one than the list's. */
const OTHERS = new Map([
  ["HK", "Hong Kong"],
  ["MO", "Macao"],
  ["MM", "Myanmar"],
]);

/** The English name of a country by its two letters (ISO 3166-1); null for anything else. */
export function countryName(code: string): string | null {
  const upper = code.toUpperCase();
  if (!/^[A-Z]{2}$/.test(upper) || upper === "ZZ") return null;
  return OTHERS.get(upper) ?? names.of(upper) ?? null;
}
