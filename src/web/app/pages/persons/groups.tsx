import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { usePages } from "../../api/pages.ts";
import { groupPage, nameOf } from "../../kinds/people/actor.ts";
import { useGroupTypes } from "../../question/definitions.ts";
import { plural } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Ago } from "../../ui/ago.tsx";
import { End } from "../../ui/end.tsx";
import { useLater } from "../../ui/later.ts";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type GroupRow, loadGroups } from "./list.ts";
import { OwnerTypes } from "./ownerTypes.tsx";
import { listAddress } from "./shown.ts";

const PAUSE_MS = 250;

/** The groups of a type, with search. */
export function GroupsPage({ project = "", index = "" }: { project?: string; index?: string }) {
  // Another type is another page: its search begins empty.
  return <Groups key={`${project} ${index}`} projectId={Number(project)} index={Number(index)} />;
}

function Groups({ projectId, index }: { projectId: number; index: number }) {
  useTitle("Groups");
  const { query, route } = useLocation();
  const [text, setText] = useState(query.search ?? "");
  const search = useLater(text, PAUSE_MS);
  const address = listAddress(hrefOf(projectId, `groups/${index}`), { search, filters: [] });
  const type = useGroupTypes(projectId).find((one) => one.index === index)?.name ?? "group";
  const groups = usePages<GroupRow, number>(address, 0, (offset, signal) =>
    loadGroups(projectId, { index, search }, offset, signal),
  );
  useEffect(() => {
    const { pathname, search: before } = window.location;
    if (pathname + before !== address) route(address, true);
  }, [address]);
  return (
    <main class="page">
      <div class="page-head">
        <h1>Groups</h1>
      </div>
      <OwnerTypes projectId={projectId} current={index} />
      <search class="persons-filters">
        <input
          class="input"
          type="search"
          aria-label={`Search ${plural(cut(type))}`}
          placeholder="Key or property"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </search>
      {groups.error !== undefined && <Problem error={groups.error} onRetry={groups.again} />}
      <div class={groups.isLoading && groups.items.length > 0 ? "persons-list old" : "persons-list"}>
        {(groups.error === undefined || groups.items.length > 0) && (
          <Table
            label="Groups"
            columns={columnsOf(projectId)}
            rows={groups.isLoading && groups.items.length === 0 ? undefined : groups.items}
            keyOf={({ group_key }) => group_key}
            nothing={search === "" ? "None yet: $groupidentify makes them" : "Nothing is found"}
          />
        )}
        {groups.hasMore && !groups.isLoading && <End key={groups.items.length} onSeen={groups.more} />}
      </div>
    </main>
  );
}

function columnsOf(projectId: number): readonly Column<GroupRow>[] {
  return [
    {
      key: "name",
      label: "Name",
      cell: ({ group_type_index: index, group_key: key, group_properties: properties }) => {
        const name = cut(nameOf({ id: key, group_key: key, properties }));
        return (
          <a href={groupPage(projectId, index, key)} dir="auto" title={name}>
            {name}
          </a>
        );
      },
    },
    { key: "key", label: "Key", cell: ({ group_key }) => cut(group_key) },
    {
      key: "created",
      label: "First seen",
      cell: ({ created_at }) => (created_at === null ? "" : <Ago at={created_at} />),
    },
  ];
}
