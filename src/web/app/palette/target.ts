import type { IconName } from "../ui/icon.tsx";
import type { Section } from "./groups.ts";
import type { Rankable } from "./rank.ts";

/** Something that the palette leads to, or does. */
export interface Target extends Rankable {
  section: Section;
  icon: IconName;
  /** Pale, beside the label: how it is stored, where that is another text. */
  note?: string;
  /** Short, at the end of the line. */
  hint?: string;
  /** An address, or something to do. */
  to: string | (() => void);
}
