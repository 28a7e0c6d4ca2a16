/** Names of systems as the sources write them, in small letters, and as Weir's clients do. */
const SYSTEMS = new Map([
  ["ios", "iOS"],
  ["iphone os", "iOS"],
  ["ipados", "iOS"],
  ["iphone", "iOS"],
  ["ipad", "iOS"],
  ["android", "Android"],
  ["android os", "Android"],
  ["mac", "Mac OS X"],
  ["macos", "Mac OS X"],
  ["mac os", "Mac OS X"],
  ["mac os x", "Mac OS X"],
  ["macintosh", "Mac OS X"],
  ["windows", "Windows"],
  ["linux", "Linux"],
  ["chrome os", "Chrome OS"],
  ["chromium os", "Chrome OS"],
]);

const DESKTOPS = new Set(["Mac OS X", "Windows", "Linux", "Chrome OS"]);
const MOBILES = new Set(["iOS", "Android"]);

/** The name of a system as Weir's clients write it; one that is not known stays. */
export function systemName(name: string): string {
  return SYSTEMS.get(name.toLowerCase()) ?? (/^windows\b/i.test(name) && !/phone/i.test(name) ? "Windows" : name);
}

/** The version within a name such as `Windows 10`; null where it has none. */
export function versionInName(name: string): string | null {
  return /^windows (\S.*)$/i.exec(name)?.[1] ?? null;
}

/** `Desktop`, `Mobile` or `Tablet`, of what a system runs on; null where that is not known. */
export function deviceTypeOf(system: string | null, model: string | null = null): string | null {
  if (model !== null && /ipad|tablet/i.test(model)) return "Tablet";
  if (system === null) return null;
  const name = systemName(system);
  if (DESKTOPS.has(name)) return "Desktop";
  return MOBILES.has(name) ? "Mobile" : null;
}

const TYPES = new Map([
  ["desktop", "Desktop"],
  ["laptop", "Desktop"],
  ["mobile", "Mobile"],
  ["phone", "Mobile"],
  ["smartphone", "Mobile"],
  ["ios", "Mobile"],
  ["android", "Mobile"],
  ["tablet", "Tablet"],
  ["smart tv", "TV"],
  ["smarttv", "TV"],
  ["tv", "TV"],
]);

/** A type of device as Weir's clients write it; one that is not known stays. */
export function deviceTypeName(type: string): string {
  return TYPES.get(type.toLowerCase()) ?? type;
}
