import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { usePages } from "../../api/pages.ts";
import { groupPage, nameOf } from "../../kinds/people/actor.ts";
import { useGroupTypes } from "../../question/definitions.ts";
import { plural } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Ago } from "../../ui/ago.tsx";
import { useLater } from "../../ui/later.ts";
import type { Column } from "../../ui/table.tsx";
import { PagedTable } from "../parts/records/pagedTable.tsx";
import { SearchBar } from "../parts/records/searchBar.tsx";
import { useListAddress } from "../parts/records/useListAddress.ts";
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
  const { query } = useLocation();
  const [text, setText] = useState(query.search ?? "");
  const search = useLater(text, PAUSE_MS);
  const address = listAddress(hrefOf(projectId, `groups/${index}`), { search, filters: [] });
  const type = useGroupTypes(projectId).find((one) => one.index === index)?.name ?? "group";
  const groups = usePages<GroupRow, number>(address, 0, (offset, signal) =>
    loadGroups(projectId, { index, search }, offset, signal),
  );
  useListAddress(address);
  return (
    <main class="page">
      <div class="page-head">
        <h1>Groups</h1>
      </div>
      <OwnerTypes projectId={projectId} current={index} />
      <SearchBar label={`Search ${plural(cut(type))}`} placeholder="Key or property" value={text} onInput={setText} />
      <PagedTable
        label="Groups"
        list={groups}
        columns={columnsOf(projectId)}
        keyOf={({ group_key }) => group_key}
        nothing={search === "" ? "None yet: $groupidentify makes them" : "Nothing is found"}
      />
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
