import { useState } from "preact/hooks";
import { usePages } from "../../../api/pages.ts";
import { cutPath } from "../../../format/name.ts";
import { EventPicker } from "../../../question/eventPicker.tsx";
import { eventLabel } from "../../../question/names.ts";
import { cut } from "../../../question/seen.ts";
import type { EntityNode } from "../../../question/types.ts";
import { useZone } from "../../../session/environment.ts";
import { IconButton } from "../../../ui/button.tsx";
import { End } from "../../../ui/end.tsx";
import { Empty, Problem, Skeleton } from "../../../ui/notice.tsx";
import { type Day, daysOf, timeOf } from "./days.ts";
import { EventDialog } from "./eventDialog.tsx";
import type { EventRow } from "./eventRow.ts";
import { loadEventRows } from "./eventRows.ts";
import { type Subject, subjectKey } from "./subject.ts";

interface TimelineProps {
  projectId: number;
  subject: Subject;
  /** It has several ids: each event says with which it came. */
  hasIds?: boolean;
}

const ALL: EntityNode = { kind: "EventsNode", event: null };

/** The events of a person or a group, the newest first; it goes on as far as one scrolls. */
export function Timeline({ projectId, subject, hasIds = false }: TimelineProps) {
  const [entity, setEntity] = useState(ALL);
  const [open, setOpen] = useState<EventRow | null>(null);
  const zone = useZone(projectId);
  const key = `${projectId} ${subjectKey(subject)} ${JSON.stringify(entity)}`;
  const events = usePages<EventRow, string | null>(key, null, (before, signal) =>
    loadEventRows(projectId, { subject, entity, before }, signal),
  );
  const isFirst = events.isLoading && events.items.length === 0;
  return (
    <section class="timeline" aria-label="Timeline" aria-busy={events.isLoading}>
      <div class="timeline-tools">
        <EventPicker projectId={projectId} value={entity} onChange={setEntity} label="Which events" />
        <IconButton label="Load the newest" icon="refresh" onClick={events.again} />
      </div>
      {events.error !== undefined && <Problem error={events.error} onRetry={events.again} />}
      {isFirst && <Loading />}
      {events.items.length === 0 && !events.isLoading && events.error === undefined && (
        <Empty title={entity === ALL ? "No events" : "No such events"} />
      )}
      {daysOf(events.items, zone).map((day) => (
        <DayList key={day.day} day={day} zone={zone} hasIds={hasIds} onOpen={setOpen} />
      ))}
      {events.isLoading && !isFirst && <Loading />}
      {events.hasMore && !events.isLoading && <End key={events.items.length} onSeen={events.more} />}
      {open !== null && <EventDialog projectId={projectId} event={open} onClose={() => setOpen(null)} />}
    </section>
  );
}

interface DayListProps {
  day: Day;
  zone: string;
  hasIds: boolean;
  onOpen(event: EventRow): void;
}

function DayList({ day, zone, hasIds, onOpen }: DayListProps) {
  return (
    <div class="timeline-day">
      <h2>{day.title}</h2>
      <ul>
        {day.events.map((event) => (
          <li key={event.uuid}>
            <button type="button" class="timeline-event" onClick={() => onOpen(event)}>
              <time dateTime={event.at}>{timeOf(event.at, zone)}</time>
              <span class="timeline-name" dir="auto" title={cut(event.event)}>
                {cut(eventLabel(event.event))}
                {event.clicked !== null && <span class="pale"> “{cut(event.clicked)}”</span>}
              </span>
              <span class="timeline-place" dir="auto" title={event.place === null ? undefined : cut(event.place)}>
                {event.place !== null && cutPath(cut(event.place), 80)}
              </span>
              {hasIds && (
                <span class="timeline-id" dir="auto" title={event.distinctId}>
                  {event.distinctId}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Loading() {
  return (
    <div role="status" class="timeline-loading">
      <span class="unseen">Loading</span>
      {Array.from({ length: 5 }, (_, line) => (
        <Skeleton key={line} heightPx={28} />
      ))}
    </div>
  );
}
