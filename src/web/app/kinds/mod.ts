import type { QueryNode } from "../api/node.ts";
import { FUNNELS } from "./funnels/mod.ts";
import type { Kind } from "./kind.ts";
import { LIFECYCLE } from "./lifecycle/mod.ts";
import { isSound } from "./nodeShape.ts";
import { PATHS } from "./paths/mod.ts";
import { RETENTION } from "./retention/mod.ts";
import { STICKINESS } from "./stickiness/mod.ts";
import { TRENDS } from "./trends/mod.ts";
import { sourceOf } from "./wrapping.ts";

/** The insight kinds: a line each. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has nodes of its own; what it is given was made by itself
export const KINDS: readonly Kind<any>[] = [TRENDS, FUNNELS, RETENTION, PATHS, STICKINESS, LIFECYCLE];

/** The kind of a question, wrapped or not; undefined for one that has no form and no chart, or whose node is not sound. */
export function kindOf(node: QueryNode): Kind | undefined {
  const source = sourceOf(node);
  return isSound(source) ? KINDS.find(({ name }) => name === source.kind) : undefined;
}
