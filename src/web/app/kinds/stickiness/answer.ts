import type { QueryAnswer } from "../../api/node.ts";
import { entityLabel } from "../../question/entities.ts";
import type { StickinessNode } from "./node.ts";

/** A series in a period. */
export interface StickinessItem {
  /** How many were active in one interval, in two, and so on. */
  data: number[];
  days: number[];
  labels: string[];
  count: number;
  label: string;
  action: { order: number; custom_name?: string | null };
  compare_label?: "current" | "previous";
}

/** The series of an answer. */
export const itemsOf = ({ results }: QueryAnswer): StickinessItem[] => (results ?? []) as StickinessItem[];

/** Whether a series is of the period that is compared with. */
export const isPrevious = ({ compare_label: period }: StickinessItem): boolean => period === "previous";

/** What an item is of. */
export function itemLabel({ series }: StickinessNode, item: StickinessItem): string {
  const entity = series[item.action.order];
  const name = entity === undefined ? item.label : entityLabel(entity);
  return isPrevious(item) ? `${name} · Previous` : name;
}

/** Labels of the numbers of intervals: those of the item with the most. */
export function axisOf(items: readonly StickinessItem[]): string[] {
  return items.reduce<string[]>((most, { labels }) => (labels.length > most.length ? labels : most), []);
}
