/** What the query API has for persons without the property, and for all values beyond the limit (docs/queries.md). */
const NO_BREAKDOWN = "$$_posthog_breakdown_null_$$";
const OTHER_BREAKDOWN = "$$_posthog_breakdown_other_$$";

/** A value of a property or a breakdown as a name. Several breakdowns stand beside each other. */
export function valueName(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "None" : value.map(valueName).join(" · ");
  if (value === null || value === undefined || value === NO_BREAKDOWN) return "None";
  if (value === OTHER_BREAKDOWN) return "Other";
  if (value === "") return "(empty)";
  if (typeof value === "string") return value.trim() === "" ? "(blank)" : value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Whether a value of a breakdown stands for all that are beyond the limit. */
export const isOther = (value: unknown): boolean =>
  value === OTHER_BREAKDOWN || (Array.isArray(value) && value.length > 0 && value.every(isOther));

/** A bin of numbers: "[10, 20]". */
const BIN = /^\[(-?[\d.e+]+),\s*(-?[\d.e+]+)\]$/;

/** A value of a breakdown as a name: bins of numbers are read as a range, "10 to 20". Nothing where there is none. */
export function breakdownName(value: unknown): string {
  if (value === null || value === undefined) return "";
  return [value].flat().map(partName).join(" · ");
}

function partName(value: unknown): string {
  const [, from, to] = BIN.exec(String(value)) ?? [];
  return from === undefined ? valueName(value) : `${from} to ${to}`;
}

/** What a dashboard is called. */
export const boardName = (name: string | null | undefined): string => name || "Untitled dashboard";

/** What an insight is called: the name that people gave it, or the one that its question has. */
export const insightName = (insight: { name?: string | null; derived_name?: string | null }): string =>
  insight.name || insight.derived_name || "Untitled insight";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** At most `length` characters as people count them: what is too long loses its middle. */
export function cutMiddle(text: string, length: number): string {
  // A character has at least one unit, so a short text needs no counting.
  if (text.length <= length) return text;
  // Only both ends can be seen: a text of megabytes is not counted as a whole.
  const reach = 64 * length;
  const isHuge = text.length > 2 * reach;
  const head = split(isHuge ? text.slice(0, reach) : text);
  const tail = isHuge ? split(text.slice(-reach)) : head;
  if (!isHuge && head.length <= length) return text;
  if (length <= 1) return "…";
  const front = Math.ceil((length - 1) / 2);
  const back = length - 1 - front;
  return `${head.slice(0, front).join("")}…${back === 0 ? "" : tail.slice(-back).join("")}`;
}

/** As `cutMiddle`, where a path is cut between two of its segments as long as that is enough: "/blog/…/review". */
export function cutPath(text: string, length: number): string {
  if (text.length <= length) return text;
  const [, host = "", path = ""] = /^([a-z][a-z0-9+.-]*:\/\/[^/]*)?(\/.*)$/is.exec(text) ?? [];
  const last = path.lastIndexOf("/");
  if (last <= 0 || host.length + path.length - last + 2 > length) return cutMiddle(text, length);
  const end = `/…${path.slice(last)}`;
  const room = length - host.length - end.length;
  const front = path.lastIndexOf("/", Math.min(room, last - 1));
  return host + path.slice(0, Math.max(0, front)) + end;
}

const split = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** "a", "a and b", "a, b and 3 more". */
export function listText(names: readonly string[], most = 3): string {
  if (names.length <= 1) return names[0] ?? "";
  const shown = names.length > most ? names.slice(0, most - 1) : names.slice(0, -1);
  const last = names.length > most ? `${names.length - shown.length} more` : names.at(-1);
  return `${shown.join(", ")} and ${last}`;
}
