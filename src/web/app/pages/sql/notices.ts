import type { HogQLMetadataAnswer } from "../../api/schema.ts";
import { placesOf } from "./offsets.ts";

/** Something about a part of the text, by places of JavaScript. */
export interface Mark {
  from: number;
  to: number;
  message: string;
}

/** What is known of a text: what is wrong with it, and what its names are. */
export interface Checked {
  text: string;
  errors: readonly Mark[];
  warnings: readonly Mark[];
  notices: readonly Mark[];
}

/** Reads what the server says of a text. What is about all of it stands at its last line. */
export function checkedOf(text: string, { errors, warnings, notices }: HogQLMetadataAnswer): Checked {
  const marks = (list: HogQLMetadataAnswer["errors"]): Mark[] => {
    const places = placesOf(
      text,
      list.flatMap(({ start, end }) => [start ?? 0, end ?? start ?? 0]),
    );
    return list.map(({ message, start }, at) => {
      const [from, to] = start === undefined ? [0, text.length] : [places[2 * at]!, places[2 * at + 1]!];
      return { message, ...widened(text, from, to) };
    });
  };
  return { text, errors: marks(errors), warnings: marks(warnings), notices: marks(notices) };
}

/** A place that is nothing wide, as the end of a text that goes on, takes the character before it: it could not be seen. */
function widened(text: string, from: number, to: number): { from: number; to: number } {
  if (to > from) return { from, to };
  const before = Math.min(from, text.trimEnd().length);
  return before === 0 ? { from: 0, to: Math.min(1, text.length) } : { from: before - 1, to: before };
}

/** "Line 2, column 7". */
export function placeWords(text: string, at: number): string {
  const lines = text.slice(0, at).split("\n");
  return `Line ${lines.length}, column ${Array.from(lines.at(-1)!).length + 1}`;
}
