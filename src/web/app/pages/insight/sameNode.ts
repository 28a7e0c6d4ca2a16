import type { QueryNode } from "../../api/node.ts";
import { nodeKey } from "../../kinds/nodeKey.ts";
import { sourceOf } from "../../kinds/wrapping.ts";

/** Whether two nodes ask and show the same: "changed" of a saved insight is that they do not. */
export const isSameNode = (one: QueryNode, other: QueryNode): boolean => plainKey(one) === plainKey(other);

/** Equal for nodes that ask and show the same. */
export const plainKey = (node: QueryNode): string => nodeKey(normalise(node));

/**
 * The question within its wrappers, without what says nothing: members that are null or empty, and values that are meant when
 * they are absent.
 */
export function normalise(node: QueryNode): unknown {
  return strip(sourceOf(node), "") ?? {};
}

/** Undefined: nothing of it is left. */
function strip(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    // Places in a list count, so nothing is taken out of it.
    const items = value.map((item) => (typeof item === "object" ? (strip(item, "") ?? null) : item));
    return items.length === 0 ? undefined : items;
  }
  if (typeof value !== "object") return isDefault(name, value) ? undefined : value;
  const kept = Object.entries(value)
    .filter(([key]) => !isRepeated(value as Record<string, unknown>, key))
    .map(([key, one]) => [key, strip(one, key)] as const)
    .filter(([, one]) => one !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** By the name of a member: what its absence means (docs/queries.md). */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  display: "ActionsLineGraph",
  interval: "day",
  math: "total",
  filterTestAccounts: false,
  compare: false,
  samplingFactor: 1,
  smoothingIntervals: 1,
  hidden: false,
  showLegend: false,
  breakdown_hide_other_aggregation: false,
};

const isDefault = (name: string, value: unknown): boolean => Object.hasOwn(DEFAULTS, name) && DEFAULTS[name] === value;

/** An event node may repeat its event as its name. */
function isRepeated(node: Record<string, unknown>, key: string): boolean {
  if (key === "response") return true;
  return (
    key === "name" &&
    node.kind === "EventsNode" &&
    (node.name === node.event || (!node.event && node.name === "All events"))
  );
}
