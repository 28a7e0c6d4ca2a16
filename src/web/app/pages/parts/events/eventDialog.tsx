import { invalidate, useData } from "../../../api/cache.ts";
import { eventPage } from "../../../kinds/people/actor.ts";
import { eventLabel } from "../../../question/names.ts";
import { cut } from "../../../question/seen.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Empty, Problem, Skeleton } from "../../../ui/notice.tsx";
import { EventDetails } from "./eventDetails.tsx";
import { loadEvent } from "./loadEvent.ts";

interface EventDialogProps {
  projectId: number;
  event: { uuid: string; event: string; at: string };
  onClose(): void;
}

/** One event in full, above the list that it stands in. */
export function EventDialog({ projectId, event: { uuid, event, at }, onClose }: EventDialogProps) {
  const key = `event/${projectId}/${uuid}`;
  const { data, error } = useData(key, () => loadEvent(projectId, uuid, at));
  return (
    <Dialog
      title={cut(eventLabel(event))}
      look="side"
      onClose={onClose}
      footer={
        <a class="button" href={eventPage(projectId, uuid, at)}>
          <Icon name="external" />
          Open as a page
        </a>
      }
    >
      {error !== undefined && <Problem error={error} onRetry={() => invalidate(key)} />}
      {data === undefined && error === undefined && <Skeleton heightPx={320} />}
      {data === null && <Empty title="This event is gone" />}
      {data !== undefined && data !== null && <EventDetails projectId={projectId} event={data} />}
    </Dialog>
  );
}
