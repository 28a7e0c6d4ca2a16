import type { SeriesNode } from "./types.ts";

interface CommonFiltersProps {
  projectId: number;
  node: SeriesNode;
  onChange(node: SeriesNode): void;
}

/** What all questions about series have below their series: filters, test accounts, sampling. */
export function CommonFilters(_props: CommonFiltersProps) {
  return null;
}
