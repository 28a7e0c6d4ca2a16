import type { ReadProperty } from "../hogql/mod.ts";
import { printName } from "../hogql/syntax/print.ts";

/** Something about a part of the text; `start` and `end` are character offsets, absent where it is about all of it. */
export interface Notice {
  start?: number;
  end?: number;
  message: string;
}

const OWNERS = { event: "Event", person: "Person", group: "Group" } as const;

/** PostHog's words for what a property with a definition holds, at its name; none where that has no place in the text. */
export function propertyNotice({ field, owner, type }: ReadProperty): Notice[] {
  if (field.start === undefined || field.end === undefined) return [];
  const key = String(field.chain.at(-1));
  const end = field.end.offset;
  return [
    {
      start: Math.max(field.start.offset, end - Array.from(printName(key)).length),
      end,
      message: `${OWNERS[owner.type]} property '${key}' is of type '${type === "Numeric" ? "Float" : type}'.`,
    },
  ];
}
