import { useRef } from "preact/hooks";
import { usePages } from "../../api/pages.ts";
import type { DateRange } from "../../question/types.ts";
import { End } from "../../ui/end.tsx";
import { Empty, Problem } from "../../ui/notice.tsx";
import { EventTable } from "./eventTable.tsx";
import { type ListedEvent, loadPast } from "./listed.ts";
import { ListSkeleton } from "./listSkeleton.tsx";
import type { Shown } from "./shown.ts";

interface PastListProps {
  projectId: number;
  zone: string;
  shown: Shown & { past: DateRange };
  onOpen(event: ListedEvent): void;
  onRemoveColumn(key: string): void;
}

/** The events of a time by their own time, the newest first; it goes on as far as one scrolls. */
export function PastList({ projectId, zone, shown, onOpen, onRemoveColumn }: PastListProps) {
  const scroller = useRef<HTMLElement>(null);
  const events = usePages<ListedEvent, string | null>(`${projectId} ${JSON.stringify(shown)}`, null, (before, signal) =>
    loadPast(projectId, shown, before, signal),
  );
  const { items, isLoading, error, hasMore } = events;
  return (
    <>
      {error !== undefined && <Problem error={error} onRetry={events.again} />}
      {isLoading && items.length === 0 && <ListSkeleton />}
      {!isLoading && error === undefined && items.length === 0 && <Empty title="No events in this time" />}
      {items.length > 0 && (
        <EventTable
          {...{ projectId, zone, scroller, onOpen, onRemoveColumn }}
          rows={items}
          // Five fields tell events apart (README.md, "Stored exactly once"); the day is in the time.
          keyOf={({ uuid, at, event, distinctId }) => `${uuid} ${at} ${event} ${distinctId}`}
          isAsTheyCame={false}
          columns={shown.columns}
        >
          {isLoading && <ListSkeleton />}
          {hasMore && !isLoading && error === undefined && <End key={items.length} onSeen={events.more} />}
          {!hasMore && <p class="event-end">That is all of this time.</p>}
        </EventTable>
      )}
    </>
  );
}
