import { useEffect, useRef, useState } from "preact/hooks";
import { formatNumber } from "../../format/number.ts";
import { useMayMake } from "../../session/environment.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { download } from "../../ui/download.ts";
import { End } from "../../ui/end.tsx";
import { Select } from "../../ui/field.tsx";
import { useLater } from "../../ui/later.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { Empty, messageOf, Problem, Skeleton } from "../../ui/notice.tsx";
import { toast } from "../../ui/toast.tsx";
import type { Drill } from "../drill.ts";
import { csvOfPeople } from "./peopleCsv.ts";
import { hasOf, type Order } from "./peopleQuery.ts";
import { PersonRow } from "./personRow.tsx";
import { SaveCohort } from "./saveCohort.tsx";
import { Totals } from "./totals.tsx";
import { allPeople, usePeople } from "./usePeople.ts";

interface PeopleDialogProps {
  projectId: number;
  drill: Drill;
  onClose(): void;
}

const SEARCH_PAUSE_MS = 250;

/** The people behind a number, all of them, as a list with search. */
export function PeopleDialog({ projectId, drill, onClose }: PeopleDialogProps) {
  const [choice, setChoice] = useState(0);
  const source = drill.choices?.[choice]?.source ?? drill.source;
  const has = hasOf(source);
  const [search, setSearch] = useState("");
  const [order, setOrder] = useState<Order>(has.counts ? "events" : "id");
  const [isSaving, setSaving] = useState(false);
  const mayMake = useMayMake(projectId);
  const ask = { source, search: useLater(search, SEARCH_PAUSE_MS), order };
  const people = usePeople(projectId, ask);
  const isOfGroups = people.groupType !== null;
  return (
    <Dialog title={drill.title} onClose={onClose} look="side">
      <div class="people">
        {drill.choices !== undefined && drill.choices.length > 1 && (
          <Select
            label="Series of the formula"
            isLabelled
            value={choice}
            choices={drill.choices.map(({ label }, index) => ({ value: index, label }))}
            onChange={(index) => setChoice(index)}
          />
        )}
        <Totals drill={drill} people={people} isSearched={ask.search !== ""} />
        <div class="people-tools">
          <input
            class="input"
            type="search"
            aria-label={isOfGroups ? "Search groups" : "Search people"}
            placeholder={isOfGroups ? "Name or key" : "Name, e-mail or ID"}
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <Select
            label="Order"
            value={order}
            choices={ordersFor(has.counts, isOfGroups)}
            onChange={(next) => setOrder(next)}
          />
          <CsvButton title={drill.title} onLoad={(signal) => allPeople(projectId, ask, signal)} />
          {drill.paths !== undefined && drill.paths.length > 0 && (
            <Menu icon="share" look="plain" items={pathItems(projectId, drill, onClose)}>
              Paths
            </Menu>
          )}
          {!isOfGroups && mayMake("cohort") && (
            <Button icon="people" disabled={people.count === 0} onClick={() => setSaving(true)}>
              Save as cohort
            </Button>
          )}
        </div>
        {people.error !== undefined && <Problem error={people.error} onRetry={people.again} />}
        {people.entries.length === 0 && !people.isLoading && people.error === undefined && (
          <Empty title={ask.search === "" ? "Nobody" : "Nobody is found"} />
        )}
        <ul
          class={
            people.isLoading && people.entries.length > 0 && people.count === null ? "people-list old" : "people-list"
          }
        >
          {people.entries.map(({ actor, events }) => (
            <PersonRow key={actor.id} projectId={projectId} actor={actor} events={events} source={source} />
          ))}
        </ul>
        {people.isLoading && <Loading />}
        {people.hasMore && !people.isLoading && <End key={people.entries.length} onSeen={people.more} />}
      </div>
      {isSaving && (
        <SaveCohort
          projectId={projectId}
          title={drill.title}
          source={source}
          search={ask.search}
          onClose={() => setSaving(false)}
        />
      )}
    </Dialog>
  );
}

const pathItems = (projectId: number, { paths = [] }: Drill, onSelect: () => void): readonly MenuItem[] =>
  paths.map(({ label, node }) => ({
    label,
    href: `/project/${projectId}/insights/new#q=${encodeURIComponent(JSON.stringify(node))}`,
    onSelect,
  }));

function ordersFor(hasCounts: boolean, isOfGroups: boolean): readonly { value: Order; label: string }[] {
  return [
    ...(hasCounts ? [{ value: "events" as const, label: "Most events" }] : []),
    ...(isOfGroups ? [] : [{ value: "newest" as const, label: "Newest" }]),
    { value: "id" as const, label: "By ID" },
  ];
}

function CsvButton({
  title,
  onLoad,
}: {
  title: string;
  onLoad: (signal: AbortSignal) => ReturnType<typeof allPeople>;
}) {
  const [isBusy, setBusy] = useState(false);
  const control = useRef<AbortController | null>(null);
  useEffect(() => () => control.current?.abort(), []);
  const save = async () => {
    control.current = new AbortController();
    setBusy(true);
    try {
      const all = await onLoad(control.current.signal);
      download(title, csvOfPeople(all));
      toast(`${formatNumber(all.length)} rows saved as CSV`);
    } catch (error) {
      if (!control.current.signal.aborted) toast(`The file was not made. ${messageOf(error)}`, { isProblem: true });
    }
    setBusy(false);
  };
  return (
    <Button icon="download" isBusy={isBusy} onClick={() => void save()}>
      CSV
    </Button>
  );
}

function Loading() {
  return (
    <div role="status" class="people-loading">
      <span class="unseen">Loading</span>
      <Skeleton heightPx={48} />
      <Skeleton heightPx={48} />
      <Skeleton heightPx={48} />
    </div>
  );
}
