import type { IngestionWarning, TeamWarning } from "../../types/mod.ts";

/** Header that carries the warnings about a frame's requests. */
export const WARNINGS_HEADER = "Weir-Warnings";

/**
 * Of all requests in a frame together; warnings that do not fit are left out. They are hints: the fate of events is in the
 * counts. A broker takes 64 KB of headers.
 */
const HEADER_MAX_BYTES = 4096;

type Entry = [teamId: number, type: string, details: IngestionWarning["details"], count?: number];

/** The value of the header; null when there are no warnings. */
export function encodeWarnings(warnings: Iterable<TeamWarning>): string | null {
  const entries: string[] = [];
  let sizeBytes = 1;
  for (const { teamId, type, details, count } of warnings) {
    const said: Entry = count === undefined ? [teamId, type, details] : [teamId, type, details, count];
    const entry = asciiJson(said);
    if (sizeBytes + entry.length + 1 > HEADER_MAX_BYTES) continue;
    entries.push(entry);
    sizeBytes += entry.length + 1;
  }
  return entries.length === 0 ? null : `[${entries.join(",")}]`;
}

/** The warnings of a frame; none when the header is missing or no publisher wrote it. */
export function decodeWarnings(text: string): TeamWarning[] {
  if (text === "") return [];
  try {
    return (JSON.parse(text) as Entry[]).map(([teamId, type, details, count = 1]) => {
      if (![teamId, count].every(Number.isSafeInteger) || typeof type !== "string") throw new Error("not a warning");
      return count === 1 ? { teamId, type, details } : { teamId, type, details, count };
    });
  } catch {
    return [];
  }
}

/** A character is a byte, and nothing in it means anything to a header. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
