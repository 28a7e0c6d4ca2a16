import { formatNumber, formatPercent } from "../../format/number.ts";
import { messageOf } from "../../ui/notice.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import type { Criteria } from "./criteria.ts";
import { useSize } from "./useSize.ts";

/** How many persons meet conditions that may not be saved yet. */
export function SizeLine({ projectId, criteria }: { projectId: number; criteria: Criteria }) {
  const { size, isLoading, error } = useSize(projectId, criteria);
  if (error !== undefined) {
    return (
      <p class="cohort-size field-problem" role="alert">
        {messageOf(error)}
      </p>
    );
  }
  if (criteria.values.length === 0)
    return <p class="cohort-size pale">Add a condition to see how many persons meet it.</p>;
  return (
    <p class={isLoading ? "cohort-size old" : "cohort-size"} role="status" aria-busy={isLoading}>
      {size === null ? (
        "Counting…"
      ) : (
        <>
          <strong>{formatNumber(size.count)}</strong> of {formatNumber(size.total)} persons
          {size.total > 0 && <span class="pale"> · {formatPercent(size.count / size.total)}</span>}
        </>
      )}
      {isLoading && <Spinner />}
    </p>
  );
}
