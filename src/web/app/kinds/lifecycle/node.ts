import type { SeriesNode } from "../../question/types.ts";

/** In the order in which they are stacked. */
export const STATUSES = ["new", "returning", "resurrecting", "dormant"] as const;
export type Status = (typeof STATUSES)[number];

export interface LifecycleNode extends SeriesNode {
  kind: "LifecycleQuery";
  /** Which are seen; all where absent. The answer always has all. */
  lifecycleFilter?: { toggledLifecycles?: readonly Status[]; [member: string]: unknown };
}

/** What each is called, what it means, and its colour, which never changes. */
export const STATUS: Record<Status, { label: string; hint: string; color: number }> = {
  new: { label: "New", hint: "Active for the first time", color: 0 },
  returning: { label: "Returning", hint: "Active, as in the interval before", color: 4 },
  resurrecting: { label: "Resurrecting", hint: "Active again after a pause", color: 2 },
  dormant: { label: "Dormant", hint: "Active in the interval before, and no longer", color: 1 },
};

/** All where none was chosen. */
export const shownStatuses = ({ lifecycleFilter }: LifecycleNode): readonly Status[] =>
  lifecycleFilter?.toggledLifecycles ?? STATUSES;

/** The same node with a status seen or not; where all are seen nothing is said. */
export function withStatus(node: LifecycleNode, status: Status, isOn: boolean): LifecycleNode {
  const shown = shownStatuses(node);
  const next = STATUSES.filter((one) => (one === status ? isOn : shown.includes(one)));
  const { toggledLifecycles: _, ...rest } = node.lifecycleFilter ?? {};
  const isAll = next.length === STATUSES.length;
  return { ...node, lifecycleFilter: isAll ? rest : { ...rest, toggledLifecycles: next } };
}
