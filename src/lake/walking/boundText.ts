import type { SqlValue } from "../engine/mod.ts";

/** A text with its values. */
export interface BoundText {
  text: string;
  params: SqlValue[];
}
