import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate, useData } from "../../api/cache.ts";
import { ApiError, call } from "../../api/client.ts";
import { formatDate } from "../../format/date.ts";
import { nameOf } from "../../kinds/people/actor.ts";
import { useGroupTypes } from "../../question/definitions.ts";
import { cut } from "../../question/seen.ts";
import { useZone } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/button.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { RelatedList } from "../parts/events/related.tsx";
import { Timeline } from "../parts/events/timeline.tsx";
import { useTab } from "../parts/events/useTab.ts";
import { PropertyTable } from "../parts/properties/propertyTable.tsx";
import { DeleteGroup } from "./deleteGroup.tsx";

const TABS = [
  { key: "timeline", label: "Timeline" },
  { key: "properties", label: "Properties" },
  { key: "related", label: "Persons and groups" },
] as const;

interface GroupPageProps {
  project?: string;
  index?: string;
  groupKey?: string;
  query?: Readonly<Record<string, string>>;
}

/**
 * A group, such as a company: its events, its properties, and who was seen in it. A key that cannot stand in a path is in the
 * query string.
 */
export function GroupPage({ project = "", query, ...named }: GroupPageProps) {
  const { index = query?.type ?? "", groupKey = query?.key ?? "" } = named;
  return (
    <Group
      key={`${project} ${index} ${groupKey}`}
      projectId={Number(project)}
      index={Number(index)}
      groupKey={groupKey}
    />
  );
}

function Group({ projectId, index, groupKey }: { projectId: number; index: number; groupKey: string }) {
  const key = `group/${projectId}/${index}/${groupKey}`;
  const { data, error } = useData(key, () => loadGroup(projectId, index, groupKey));
  const { route } = useLocation();
  const [tab, setTab] = useTab(TABS);
  const [isDeleting, setDeleting] = useState(false);
  const zone = useZone(projectId);
  const type = useGroupTypes(projectId).find((one) => one.index === index)?.name ?? "group";
  const subject = { kind: "group", index, key: groupKey } as const;
  const name = cut(nameOf({ id: groupKey, group_key: groupKey, properties: data?.group_properties }));
  useTitle(name);
  const facts = [
    cut(type),
    name === groupKey ? "" : cut(groupKey),
    data === null ? "Only events name it: it was deleted, or no $groupidentify came" : "",
    data?.created_at ? `First seen ${formatDate(data.created_at, zone)}` : "",
  ];
  return (
    <main class="page">
      <div class="page-head">
        <h1 dir="auto">{name}</h1>
        {data && may("group:write") && (
          <Button icon="trash" onClick={() => setDeleting(true)}>
            Delete group
          </Button>
        )}
        <p class="person-facts" dir="auto">
          {facts.filter((fact) => fact !== "").join(" · ")}
        </p>
      </div>
      {error !== undefined && <Problem error={error} onRetry={() => invalidate(key)} />}
      <Tabs label="Parts of this page" tabs={TABS} value={tab} onChange={setTab}>
        {tab === "timeline" && <Timeline projectId={projectId} subject={subject} />}
        {tab === "properties" && data === undefined && <Skeleton heightPx={160} />}
        {tab === "properties" && data !== undefined && (
          <PropertyTable label="Properties of this group" type="group" properties={data?.group_properties ?? {}} />
        )}
        {tab === "related" && <RelatedList projectId={projectId} subject={subject} />}
      </Tabs>
      {isDeleting && (
        <DeleteGroup
          projectId={projectId}
          group={subject}
          name={name}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            invalidate(`group/${projectId}/`);
            route(hrefOf(projectId, `groups/${index}`));
          }}
        />
      )}
    </main>
  );
}

/** Null where only events name it. Throws ApiError. */
async function loadGroup(projectId: number, index: number, groupKey: string) {
  try {
    return await call("GET /api/environments/{project_id}/groups/find/", {
      params: { project_id: String(projectId) },
      query: { group_type_index: index as 0, group_key: groupKey },
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
