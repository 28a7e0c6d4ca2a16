import { ApiError } from "../../../api/client.ts";
import { Empty, Problem, Skeleton } from "../../../ui/notice.tsx";

interface AwaitedProps {
  /** What it is: "cohort". */
  noun: string;
  /** Where all of its kind are. */
  list: string;
  /** Why it is not there; undefined while it is loaded. */
  error: unknown;
  onRetry(): void;
}

/** What stands for a record until it is loaded, and where there is none. */
export function Awaited({ noun, list, error, onRetry }: AwaitedProps) {
  if (error instanceof ApiError && error.status === 404) {
    return (
      <main class="page">
        <Empty isPage title={`There is no such ${noun}`}>
          <p>It was deleted, or you have no access to it.</p>
          <a class="button" href={list}>
            See all
          </a>
        </Empty>
      </main>
    );
  }
  return (
    <main class="page" aria-busy={error === undefined}>
      <h1 class="unseen">{noun.charAt(0).toUpperCase() + noun.slice(1)}</h1>
      {error === undefined ? <Skeleton heightPx={320} /> : <Problem error={error} onRetry={onRetry} />}
    </main>
  );
}
