import type { JsonObject } from "../../types/mod.ts";
import { actorsKind } from "./actors/mod.ts";
import { actorsOptionsKind } from "./actors/options.ts";
import { CORRELATION } from "./correlation/mod.ts";
import { EVENTS } from "./events/mod.ts";
import { FUNNELS } from "./funnels/mod.ts";
import { HOGQL } from "./hogql/mod.ts";
import type { Kind, SavedKind } from "./kind.ts";
import { LATER, UNKNOWN } from "./later.ts";
import { LIFECYCLE } from "./lifecycle/mod.ts";
import { PATHS } from "./paths/mod.ts";
import { RETENTION } from "./retention/mod.ts";
import { STICKINESS } from "./stickiness/mod.ts";
import { TRENDS } from "./trends/mod.ts";

/** The kinds of one folder each: a line here. */
const ASKED: readonly Kind[] = [TRENDS, FUNNELS, RETENTION, PATHS, STICKINESS, LIFECYCLE, CORRELATION, HOGQL, EVENTS];

/** The kinds that are answered; the last ones ask others. */
export const ANSWERED: readonly Kind[] = [...ASKED, actorsKind(ASKED), actorsOptionsKind(ASKED)];

/** All that can be saved. */
export const SAVED: readonly SavedKind[] = [...ANSWERED, ...LATER];

const BY_NAME: ReadonlyMap<unknown, SavedKind> = new Map(SAVED.map((kind) => [kind.name, kind]));

/** What is known of the kind that a node names. */
export function kindOf({ kind }: JsonObject): SavedKind {
  return BY_NAME.get(kind) ?? UNKNOWN;
}

export const isAnswered = (kind: SavedKind): kind is Kind => "read" in kind;

/** The names of the kinds under which lists of insights have a name; none for a name that there is not. */
export function kindsListedAs(listName: string): string[] {
  return SAVED.filter(({ listedAs }) => listedAs === listName).map(({ name }) => name);
}

/** The node that an insight's legacy `filters` mean (docs/queries.md#legacy-filters); null where they mean none that is answered. */
export function nodeOfLegacy(filters: JsonObject): JsonObject | null {
  if (Object.keys(filters).length === 0) return null;
  const { legacy } = ANSWERED.find(({ legacy }) => legacy?.names.includes(filters.insight ?? null)) ?? {};
  return legacy === undefined ? null : { kind: "InsightVizNode", source: legacy.nodeOf(filters) };
}
