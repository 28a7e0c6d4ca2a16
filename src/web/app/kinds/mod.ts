import type { Kind } from "./kind.ts";

/** The insight kinds: a line each. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has nodes of its own; what it is given was made by itself
export const KINDS: readonly Kind<any>[] = [];

/** That of a node, wrapped or not; undefined for one that has no page. */
export function kindNamed(name: string): Kind | undefined {
  return KINDS.find((kind) => kind.name === name);
}
