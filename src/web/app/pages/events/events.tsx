import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Dates } from "../../question/dates.tsx";
import { EventPicker } from "../../question/eventPicker.tsx";
import { groupsOf } from "../../question/filters.ts";
import { PropertyFilters } from "../../question/propertyFilters.tsx";
import { PropertyPicker } from "../../question/propertyPicker.tsx";
import { useZone } from "../../session/environment.ts";
import { hrefOf } from "../../shell/entries.ts";
import { Segments } from "../../ui/field.tsx";
import { useLater } from "../../ui/later.ts";
import { EventDialog } from "../parts/events/eventDialog.tsx";
import type { EventRow } from "../parts/events/eventRow.ts";
import { LiveList } from "./liveList.tsx";
import { PastList } from "./pastList.tsx";
import { addressOf, hasRoom, readShown, type Shown } from "./shown.ts";

const PAUSE_MS = 250;

/** The events of a project as they come, or those of a time. */
export function EventsPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  return <Events key={projectId} projectId={projectId} />;
}

function Events({ projectId }: { projectId: number }) {
  const [shown, setShown] = useShown(projectId);
  const asked = useLater(shown, PAUSE_MS);
  const [open, setOpen] = useState<EventRow | null>(null);
  const zone = useZone(projectId);
  const { past } = asked;
  const list = {
    projectId,
    zone,
    onOpen: setOpen,
    onRemoveColumn: (key: string) => setShown({ ...shown, columns: shown.columns.filter((one) => one !== key) }),
  };
  return (
    <main class="page">
      <div class="page-head">
        <h1>Events</h1>
        <When shown={shown} onChange={setShown} />
      </div>
      <Narrowing projectId={projectId} shown={shown} onChange={setShown} />
      {past === null ? (
        <LiveList {...list} shown={asked} isCovered={open !== null} />
      ) : (
        <PastList {...list} shown={{ ...asked, past }} />
      )}
      {open !== null && <EventDialog projectId={projectId} event={open} onClose={() => setOpen(null)} />}
    </main>
  );
}

/** What is shown, as it stands in the address. */
function useShown(projectId: number): [Shown, (shown: Shown) => void] {
  const { query, url, route } = useLocation();
  const [shown, setShown] = useState<Shown>(() => readShown(query));
  const path = hrefOf(projectId, "events");
  const here = (next: Shown) => addressOf(path, next);
  // A link of the page, or the way back.
  useEffect(() => {
    if (window.location.pathname !== path) return;
    const named = readShown(query);
    setShown((was) => (here(was) === here(named) ? was : named));
  }, [url]);
  const change = (next: Shown) => {
    setShown(next);
    // Words of a filter that is being written have no step of their own.
    route(here(next), (next.past === null) === (shown.past === null));
  };
  return [shown, change];
}

interface ShownProps {
  shown: Shown;
  onChange(shown: Shown): void;
}

function When({ shown, onChange }: ShownProps) {
  return (
    <div class="row">
      {shown.past !== null && <Dates value={shown.past} onChange={(past) => onChange({ ...shown, past })} />}
      <Segments
        label="Which time"
        value={shown.past === null ? "live" : "past"}
        choices={[
          { value: "live", label: "Live" },
          { value: "past", label: "Past" },
        ]}
        onChange={(value) => onChange({ ...shown, past: value === "live" ? null : { date_from: "-24h" } })}
      />
    </div>
  );
}

/** Which events, and which columns. */
function Narrowing({ projectId, shown, onChange }: ShownProps & { projectId: number }) {
  const { entity, filters, columns } = shown;
  const events = typeof entity.event === "string" ? [entity.event] : undefined;
  return (
    <search class="records-filters">
      <EventPicker
        projectId={projectId}
        value={entity}
        onChange={(next) => onChange({ ...shown, entity: next })}
        label="Which events"
      />
      <PropertyFilters
        projectId={projectId}
        value={filters}
        isFlat
        isAnd
        events={events}
        onChange={(group) => onChange({ ...shown, filters: groupsOf(group).values.flatMap(({ values }) => values) })}
      />
      {hasRoom(shown) && (
        <PropertyPicker
          projectId={projectId}
          value={null}
          label="Add a column"
          placeholder="Column"
          types={["event"]}
          events={events}
          look="quiet"
          isAdd
          onChange={({ key }) => onChange({ ...shown, columns: [...new Set([...columns, key])] })}
        />
      )}
    </search>
  );
}
