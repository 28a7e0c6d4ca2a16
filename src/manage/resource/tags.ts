import { list } from "../http/compound.ts";
import { type Field, mapped, text } from "../http/fields.ts";

const TAG_MAX = 255;

/** Labels; trimmed, lower-case, sorted, each once. */
export const tagsField = (): Field<string[]> => mapped(list(text({ maxLength: TAG_MAX })), tagSet);

/** Lower-case, sorted, each once. */
export function tagSet(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.toLowerCase()))].sort();
}
