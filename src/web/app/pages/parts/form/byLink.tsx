import { ApiError } from "../../../api/client.ts";
import { Problem, Skeleton } from "../../../ui/notice.tsx";
import { Card } from "./card.tsx";

/** Whether a link does not work any more. Also while its form is open: it may have been used elsewhere, or taken back. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === "link_not_found";

/** The page of a link while it is not known what it opens, or where that could not be asked. */
export function LinkLoading({ error }: { error: unknown }) {
  return (
    <Card title="Weir">
      {error === undefined ? (
        <Skeleton heightPx={160} />
      ) : (
        <Problem error={error} onRetry={() => window.location.reload()} />
      )}
    </Card>
  );
}

/** What went wrong with a form: the words for each of its fields, and the rest, undefined where a field has it. */
export function problemsOf(error: unknown, fields: readonly string[]) {
  const about = (field: string) => (error instanceof ApiError && error.attr === field ? error.detail : null);
  return { about, other: error !== undefined && !fields.some(about) ? error : undefined };
}
