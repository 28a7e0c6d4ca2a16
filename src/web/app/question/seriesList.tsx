import type { EntityNode } from "./types.ts";

interface SeriesListProps {
  projectId: number;
  series: readonly EntityNode[];
  onChange(series: readonly EntityNode[]): void;
  /** `letters` for trends (A, B, …), `numbers` for steps. */
  marks: "letters" | "numbers";
  /** Whether each has a math. */
  hasMath: boolean;
  max: number;
  addLabel: string;
  /** Further things to do with one, such as "optional" of a funnel step. */
  toggles?: readonly {
    label: string;
    isOn(entity: EntityNode): boolean;
    set(entity: EntityNode, isOn: boolean): EntityNode;
  }[];
}

/** Series or steps: pick, filter, rename, duplicate, order (by keyboard, too), take away, add. */
export function SeriesList(_props: SeriesListProps) {
  return null;
}
