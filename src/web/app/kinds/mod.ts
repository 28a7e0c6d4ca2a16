import type { QueryNode } from "../api/node.ts";
import { FUNNELS } from "./funnels/mod.ts";
import type { Kind } from "./kind.ts";
import { LIFECYCLE } from "./lifecycle/mod.ts";
import { PATHS } from "./paths/mod.ts";
import { RETENTION } from "./retention/mod.ts";
import { STICKINESS } from "./stickiness/mod.ts";
import { TRENDS } from "./trends/mod.ts";
import { sourceOf } from "./wrapping.ts";

/** The insight kinds: a line each. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has nodes of its own; what it is given was made by itself
export const KINDS: readonly Kind<any>[] = [TRENDS, FUNNELS, RETENTION, PATHS, STICKINESS, LIFECYCLE];

/** That of a node, wrapped or not; undefined for one that has no page. */
export function kindNamed(name: string): Kind | undefined {
  return KINDS.find((kind) => kind.name === name);
}

/** The kind of a question, wrapped or not. */
export const kindOf = (node: QueryNode): Kind | undefined => kindNamed(sourceOf(node).kind);
