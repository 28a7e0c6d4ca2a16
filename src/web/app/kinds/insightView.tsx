import type { QueryAnswer, QueryNode } from "../api/query.ts";
import type { Drill, Size } from "./kind.ts";

interface InsightViewProps {
  node: QueryNode;
  /** Undefined while nothing is known. */
  answer: QueryAnswer | undefined;
  error: unknown;
  /** A newer answer is on the way. */
  isLoading: boolean;
  size: Size;
  onDrill?(drill: Drill): void;
  onRetry?(): void;
}

/** The chart of a question of any kind, in each of its states: loading, empty, failed, old. Pages and tiles use it. */
export function InsightView(_props: InsightViewProps) {
  return null;
}
