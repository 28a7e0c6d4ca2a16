import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate, useData } from "../../api/cache.ts";
import { formatDate } from "../../format/date.ts";
import { formatNumber } from "../../format/number.ts";
import { detailOf, nameOf } from "../../kinds/people/actor.ts";
import { cut } from "../../question/seen.ts";
import { useZone } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/button.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { RelatedList } from "../parts/events/related.tsx";
import type { Subject } from "../parts/events/subject.ts";
import { Timeline } from "../parts/events/timeline.tsx";
import { useTab } from "../parts/events/useTab.ts";
import { Cohorts } from "./cohorts.tsx";
import { DeletePerson } from "./deletePerson.tsx";
import { Ids } from "./ids.tsx";
import { loadPerson, type Named, type Person } from "./load.ts";
import { Properties } from "./properties.tsx";

interface PersonPageProps {
  project?: string;
  distinctId?: string;
  uuid?: string;
  query?: Readonly<Record<string, string>>;
}

/** A person, named by one of its ids or by its uuid. An id that cannot stand in a path is in the query string. */
export function PersonPage({ project = "", distinctId, uuid, query }: PersonPageProps) {
  const named = uuid === undefined ? { distinctId: distinctId ?? query?.distinct_id ?? "" } : { uuid };
  return <Loaded key={`${project} ${JSON.stringify(named)}`} projectId={Number(project)} named={named} />;
}

function Loaded({ projectId, named }: { projectId: number; named: Named }) {
  const key = `person/${projectId}/${JSON.stringify(named)}`;
  const { data, error } = useData(key, () => loadPerson(projectId, named));
  if (data !== undefined && data !== null) return <Known projectId={projectId} person={data} />;
  if (data === null) return <Nobody projectId={projectId} named={named} />;
  return (
    <main class="page" aria-busy={error === undefined}>
      <h1 class="unseen">Person</h1>
      {error === undefined ? <Skeleton heightPx={320} /> : <Problem error={error} onRetry={() => invalidate(key)} />}
    </main>
  );
}

const TABS = [
  { key: "timeline", label: "Timeline" },
  { key: "properties", label: "Properties" },
  { key: "ids", label: "IDs" },
  { key: "groups", label: "Groups" },
  { key: "cohorts", label: "Cohorts" },
] as const;

function Known({ projectId, person }: { projectId: number; person: Person }) {
  const { route } = useLocation();
  const [tab, setTab] = useTab(TABS);
  const [isDeleting, setDeleting] = useState(false);
  const zone = useZone(projectId);
  const { uuid, distinct_ids: ids, is_identified: isIdentified, created_at: createdAt } = person;
  const name = cut(nameOf(person));
  const subject = { kind: "person", id: uuid } as const;
  const facts = [
    cut(detailOf(person)),
    isIdentified ? "Identified" : "Anonymous",
    createdAt === null ? "" : `First seen ${formatDate(createdAt, zone)}`,
    `${formatNumber(ids.length)} ${ids.length === 1 ? "ID" : "IDs"}`,
  ];
  useTitle(name);
  return (
    <main class="page">
      <div class="page-head">
        <h1 dir="auto">{name}</h1>
        {may("person:write") && (
          <Button icon="trash" onClick={() => setDeleting(true)}>
            Delete person
          </Button>
        )}
        <p class="person-facts" dir="auto">
          {facts.filter((fact) => fact !== "").join(" · ")}
        </p>
      </div>
      <Tabs label="Parts of this page" tabs={TABS} value={tab} onChange={setTab}>
        {tab === "timeline" && <Timeline projectId={projectId} subject={subject} hasIds={ids.length > 1} />}
        {tab === "properties" && <Properties projectId={projectId} person={person} />}
        {tab === "ids" && <Ids projectId={projectId} person={person} />}
        {tab === "groups" && <RelatedList projectId={projectId} subject={subject} />}
        {tab === "cohorts" && <Cohorts projectId={projectId} uuid={uuid} />}
      </Tabs>
      {isDeleting && (
        <DeletePerson
          projectId={projectId}
          person={person}
          name={name}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            invalidate(`person/${projectId}/`);
            route(hrefOf(projectId, "persons"));
          }}
        />
      )}
    </main>
  );
}

/** Events may have an id that makes no person (docs/persons.md#personless-events). */
function Nobody({ projectId, named }: { projectId: number; named: Named }) {
  const subject: Subject =
    "uuid" in named ? { kind: "person", id: named.uuid } : { kind: "distinctId", id: named.distinctId };
  const id = cut(subject.id);
  useTitle(id);
  return (
    <main class="page">
      <div class="page-head">
        <h1 dir="auto">{id}</h1>
        <p class="person-facts">
          No person has this ID: it was deleted, or its events came without a profile. What is stored of it is below.
        </p>
      </div>
      <Timeline projectId={projectId} subject={subject} />
    </main>
  );
}
