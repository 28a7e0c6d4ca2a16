/** Where a caller may have put its key: a link is logged, shared and kept by others. */
const KEY_PARAMETER = "personal_api_key";

/** An absolute link to the same list with other parameters, null for none; without the key of the caller. */
export function linkTo(url: URL, parameters: Readonly<Record<string, string | number | null>>): string {
  const target = new URL(url);
  target.searchParams.delete(KEY_PARAMETER);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) target.searchParams.delete(name);
    else target.searchParams.set(name, String(value));
  }
  return target.href;
}
