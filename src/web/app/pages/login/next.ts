/** Where a login leads: the address that it was asked for, if that is one of these pages; else the first page. */
export function nextOf(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  // "//host" and "/\host" are addresses of other hosts.
  const isOwn = next.startsWith("/") && !/^\/[/\\]/.test(next) && URL.canParse(next, "http://own");
  return isOwn && new URL(next, "http://own").host === "own" && !next.startsWith("/login") ? next : "/";
}
