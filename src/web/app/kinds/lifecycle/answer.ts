import type { QueryAnswer } from "../../api/node.ts";
import { type LifecycleNode, type Status, shownStatuses } from "./node.ts";

/** A status by interval; of dormant people the numbers are below zero. */
export interface LifecycleItem {
  status: Status;
  data: number[];
  days: string[];
  labels: string[];
  count: number;
}

/** Those that are seen. */
export const shownItems = (node: LifecycleNode, { results }: QueryAnswer): LifecycleItem[] =>
  ((results ?? []) as LifecycleItem[]).filter(({ status }) => shownStatuses(node).includes(status));

/** Whether nobody has any status. */
export const isEmpty = ({ results }: QueryAnswer): boolean =>
  ((results ?? []) as LifecycleItem[]).every(({ data }) => data.every((count) => count === 0));
