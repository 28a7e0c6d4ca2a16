import { useState } from "preact/hooks";
import { cutPath } from "../../format/name.ts";
import { formatCount } from "../../format/number.ts";
import { eventLabel } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { Ago } from "../../ui/ago.tsx";
import { Problem } from "../../ui/notice.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { EventDialog } from "../parts/events/eventDialog.tsx";
import type { Step } from "./steps.ts";
import { usePreview } from "./usePreview.ts";

const PATH_MAX = 80;

/** The newest events that match, whether the steps are saved or not. */
export function Preview({ projectId, steps }: { projectId: number; steps: readonly Step[] }) {
  const { preview, isLoading, error } = usePreview(projectId, steps);
  const [open, setOpen] = useState<{ uuid: string; event: string; at: string } | null>(null);
  return (
    <section class="action-preview" aria-label="Events that match" aria-busy={isLoading}>
      <h2>Events that match</h2>
      <p role="status" class={isLoading ? "action-count old" : "action-count"}>
        {preview === null
          ? error === undefined && "Looking…"
          : `${formatCount(preview.count, "event")} in the last ${preview.days} days`}
        {isLoading && <Spinner />}
      </p>
      {error !== undefined && <Problem error={error} />}
      {preview !== null && preview.results.length > 0 && (
        <ul>
          {preview.results.map((event) => (
            <li key={event.uuid}>
              <button
                type="button"
                class="action-event"
                onClick={() => setOpen({ uuid: event.uuid, event: event.event, at: event.timestamp })}
              >
                <span class="timeline-name" dir="auto" title={cut(event.event)}>
                  {cut(eventLabel(event.event))}
                  {event.text !== null && <span class="pale"> “{cut(event.text)}”</span>}
                </span>
                <span class="timeline-place" dir="auto" title={event.url === null ? undefined : cut(event.url)}>
                  {event.url !== null && cutPath(cut(event.url), PATH_MAX)}
                </span>
                <span class="timeline-id" dir="auto">
                  {cut(event.distinct_id)}
                </span>
                <Ago at={event.timestamp} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {open !== null && <EventDialog projectId={projectId} event={open} onClose={() => setOpen(null)} />}
    </section>
  );
}
