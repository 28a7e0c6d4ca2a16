import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate, remember, useData } from "../../api/cache.ts";
import { formatCount } from "../../format/number.ts";
import { cut } from "../../question/seen.ts";
import { useMayMake } from "../../session/environment.ts";
import { mayEdit, mayManage } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { told } from "../../ui/task.ts";
import { LazyAccess } from "../parts/access/lazyAccess.tsx";
import { useTab } from "../parts/events/useTab.ts";
import { writeFragment } from "../parts/insight/fragment.ts";
import { Awaited } from "../parts/records/awaited.tsx";
import { removeRecord } from "../parts/records/removeRecord.ts";
import { UsedIn } from "../parts/records/usedIn.tsx";
import { CohortEditor } from "./editor.tsx";
import { type Cohort, cohortKey, createCohort, loadCohort } from "./load.ts";
import { CohortPeople } from "./people.tsx";

/** A cohort, or a new one: who is in it, how many they are, and where it is used. */
export function CohortPage({ project = "", cohort = "" }: { project?: string; cohort?: string }) {
  const projectId = Number(project);
  return cohort === "new" ? (
    <New projectId={projectId} />
  ) : (
    <Loaded key={`${project} ${cohort}`} projectId={projectId} id={Number(cohort)} />
  );
}

function New({ projectId }: { projectId: number }) {
  const { route } = useLocation();
  useTitle("New cohort");
  return (
    <main class="page">
      <div class="page-head">
        <h1>New cohort</h1>
      </div>
      <CohortEditor
        projectId={projectId}
        cohort={null}
        onSaved={({ id }) => route(hrefOf(projectId, `cohorts/${id}`), true)}
      />
    </main>
  );
}

function Loaded({ projectId, id }: { projectId: number; id: number }) {
  const key = cohortKey(projectId, id);
  const { data, error } = useData(key, () => loadCohort(projectId, id));
  if (data !== undefined) return <Known projectId={projectId} cohort={data} />;
  const list = hrefOf(projectId, "cohorts");
  return <Awaited noun="cohort" list={list} error={error} onRetry={() => invalidate(key)} />;
}

const TABS = [
  { key: "people", label: "Persons" },
  { key: "uses", label: "Used in" },
] as const;

function Known({ projectId, cohort }: { projectId: number; cohort: Cohort }) {
  const [tab, setTab] = useTab(TABS);
  const name = cut(cohort.name || "Untitled cohort");
  useTitle(name);
  return (
    <main class="page">
      <div class="page-head">
        <h1 dir="auto">{name}</h1>
        <span class="record-tools">
          <a class="button" href={`${hrefOf(projectId, "insights/new")}${writeFragment(insightAbout(cohort))}`}>
            New insight
          </a>
          <More projectId={projectId} cohort={cohort} />
        </span>
        <p class="person-facts">{factOf(cohort)}</p>
      </div>
      <CohortEditor
        key={cohort.id}
        projectId={projectId}
        cohort={cohort}
        onSaved={(saved) => remember(cohortKey(projectId, cohort.id), saved)}
      />
      <Tabs label="Parts of this page" tabs={TABS} value={tab} onChange={setTab}>
        {tab === "people" && <CohortPeople projectId={projectId} cohort={cohort} />}
        {tab === "uses" && <UsedIn projectId={projectId} what="cohort" id={cohort.id} />}
      </Tabs>
    </main>
  );
}

function factOf({ is_static: isStatic, count, created_by: maker }: Cohort): string {
  const kind = isStatic ? `A list of ${formatCount(count ?? 0, "person", "persons")}` : "All that meet its conditions";
  return maker === null ? kind : `${kind} · made by ${cut(maker.first_name || maker.email)}`;
}

const filterOf = ({ id, name }: Cohort) => ({
  type: "cohort",
  key: "id",
  operator: "in",
  value: id,
  cohort_name: name ?? `Cohort ${id}`,
});

function insightAbout(cohort: Cohort) {
  const series = [{ kind: "EventsNode" as const, event: null, name: "All events", math: "dau" }];
  const values = [{ type: "AND" as const, values: [filterOf(cohort)] }];
  return { kind: "TrendsQuery", series, properties: { type: "AND" as const, values } };
}

function More({ projectId, cohort }: { projectId: number; cohort: Cohort }) {
  const { route } = useLocation();
  const [isSharing, setSharing] = useState(false);
  const mayMake = useMayMake(projectId);
  const items: MenuItem[] = [];
  if (mayMake("cohort")) {
    const keep = async () => {
      const query = { kind: "ActorsQuery", properties: [filterOf(cohort)] };
      const made = await createCohort(projectId, { name: `${cohort.name ?? ""} (list)`, is_static: true, query });
      route(hrefOf(projectId, `cohorts/${made.id}`));
    };
    items.push({ label: "Copy as a list", icon: "copy", onSelect: () => void told(keep) });
  }
  if (mayManage(cohort)) items.push({ label: "Who may see or edit", icon: "key", onSelect: () => setSharing(true) });
  if (mayEdit("cohort", cohort)) {
    const remove = async () => {
      if (await removeRecord(projectId, "cohort", cohort)) route(hrefOf(projectId, "cohorts"));
    };
    items.push({ label: "Delete", icon: "trash", isDangerous: true, onSelect: () => void remove() });
  }
  if (items.length === 0) return null;
  return (
    <>
      <Menu icon="more" label="More" items={items} />
      {isSharing && <LazyAccess what="cohort" projectId={projectId} id={cohort.id} onClose={() => setSharing(false)} />}
    </>
  );
}
