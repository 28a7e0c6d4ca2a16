/** What is compared of an item of a trend. */
export interface CountedItem {
  data: number[] | null;
  aggregated_value?: number;
  breakdown_value?: unknown;
}

/** Of each item the value of its breakdown, where there is one, and its numbers. */
export function rowsOfItems(items: readonly CountedItem[]): unknown[][] {
  return items.map(({ data, aggregated_value, breakdown_value }) => {
    const numbers = aggregated_value === undefined ? (data ?? []) : [aggregated_value];
    return breakdown_value === undefined ? numbers : [breakdown_value, ...numbers];
  });
}
