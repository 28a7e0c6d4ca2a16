import { ApiError } from "../../api/client.ts";
import type { QueryAnswer, QueryNode } from "../../api/node.ts";
import { Empty, messageOf, Problem } from "../../ui/notice.tsx";
import type { Drill, Size } from "../kind.ts";
import { kindOf } from "../mod.ts";
import { sourceOf } from "../wrapping.ts";
import { ChartSkeleton } from "./chartSkeleton.tsx";
import { Guard } from "./guard.tsx";
import { placeOf } from "./place.ts";
import { ResultRows } from "./resultRows.tsx";
import { chartWishOf, isDrawn } from "./sql/chartWish.ts";
import { LazySqlChart } from "./sql/lazyChart.tsx";

interface InsightViewProps {
  node: QueryNode;
  /** Undefined while nothing is known. */
  answer: QueryAnswer | undefined;
  error: unknown;
  /** A newer answer is on the way. */
  isLoading: boolean;
  /** The answer is that of another question, and no newer one comes. */
  isOld?: boolean;
  size: Size;
  onDrill?(drill: Drill): void;
  onRetry?(): void;
}

/** The chart of a question of any kind, in each of its states: loading, empty, failed, old. Pages and tiles use it. */
export function InsightView({
  node,
  answer,
  error,
  isLoading,
  isOld = false,
  size,
  onDrill,
  onRetry,
}: InsightViewProps) {
  const hasFailed = error !== undefined && error !== null && !isLoading;
  return (
    <div class={`insight-view in-${size}`} aria-busy={isLoading}>
      {hasFailed && <Problem error={worded(error)} onRetry={isRefusal(error) ? undefined : onRetry} />}
      {answer !== undefined && (
        <div class={isLoading || isOld || hasFailed ? "insight-chart old" : "insight-chart"}>
          <Guard value={answer}>
            <Drawn whole={node} answer={answer} size={size} onDrill={onDrill} />
          </Guard>
        </div>
      )}
      {answer === undefined && isLoading && <Loading node={sourceOf(node)} />}
    </div>
  );
}

interface DrawnProps {
  /** With its wrappers. */
  whole: QueryNode;
  answer: QueryAnswer;
  size: Size;
  onDrill?(drill: Drill): void;
}

function Drawn({ whole, answer, size, onDrill }: DrawnProps) {
  const node = sourceOf(whole);
  const kind = kindOf(node);
  if (kind === undefined && isDrawn(whole)) return <LazySqlChart answer={answer} wish={chartWishOf(whole)} />;
  if (kind === undefined) return <ResultRows answer={answer} />;
  if (answer.results === null || answer.results === undefined) return <Empty title="Not calculated yet" />;
  if (kind.isEmpty(answer, node)) {
    return <Empty title="No events match">{size === "page" && <p>Try other dates, or remove a filter.</p>}</Empty>;
  }
  return <kind.Chart node={node} answer={answer} size={size} onDrill={onDrill} />;
}

function Loading({ node }: { node: QueryNode }) {
  return (
    <div class="insight-loading" role="status">
      <span class="unseen">Loading</span>
      <ChartSkeleton node={node} />
    </div>
  );
}

/** What is asked cannot be answered: the same question would fail again. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status === 400;

/** The error with its place in words: "Series B, math: …". */
function worded(error: unknown): Error {
  const { place, text } = placeOf(messageOf(error), error instanceof ApiError ? error.attr : null);
  return new Error(place === null ? text : `${place}: ${text}`);
}
