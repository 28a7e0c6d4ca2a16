import { useState } from "preact/hooks";
import { useData } from "../../api/cache.ts";
import { eventLabel } from "../../question/names.ts";
import { Ago } from "../../ui/ago.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { EventDialog } from "../parts/events/eventDialog.tsx";
import type { Person } from "./load.ts";
import { loadMerges } from "./loadMerges.ts";
import type { Merge } from "./merges.ts";

const SHOWN = 50;

/** The ids of a person, and how they became one. */
export function Ids({ projectId, person }: { projectId: number; person: Person }) {
  const { uuid, distinct_ids: ids } = person;
  const [limit, setLimit] = useState(SHOWN);
  return (
    <>
      <section class="person-part" aria-label="Distinct IDs">
        <h2>Distinct IDs</h2>
        <ul class="id-list">
          {ids.slice(0, limit).map((id) => (
            <li key={id}>
              <span dir="auto" title={id}>
                {id}
              </span>
              <CopyButton text={id} />
            </li>
          ))}
        </ul>
        {ids.length > limit && (
          <p>
            <Button look="quiet" onClick={() => setLimit(limit * 10)}>
              Show more of {ids.length}
            </Button>
          </p>
        )}
        <p class="pale">Person {uuid}</p>
      </section>
      {ids.length > 1 && <Merges projectId={projectId} person={person} />}
    </>
  );
}

function Merges({ projectId, person }: { projectId: number; person: Person }) {
  const { data, error } = useData(`merges/${projectId}/${person.uuid}`, () => loadMerges(projectId, person));
  const [open, setOpen] = useState<Merge | null>(null);
  return (
    <section class="person-part" aria-label="Merges">
      <h2>Merges</h2>
      {error !== undefined && <Problem error={error} />}
      {data === undefined && error === undefined && <Skeleton heightPx={72} />}
      {data?.length === 0 && <p class="pale">No event tells how these became one: they were imported together.</p>}
      <ul class="id-list">
        {data?.map((merge) => (
          <li key={merge.uuid}>
            <span dir="auto" title={`${merge.source} → ${merge.target}`}>
              {merge.source} → {merge.target}
            </span>
            <span>
              <button type="button" class="text-button" onClick={() => setOpen(merge)}>
                {eventLabel(merge.event)}
              </button>
              , <Ago at={merge.at} />
            </span>
          </li>
        ))}
      </ul>
      {open !== null && <EventDialog projectId={projectId} event={open} onClose={() => setOpen(null)} />}
    </section>
  );
}
