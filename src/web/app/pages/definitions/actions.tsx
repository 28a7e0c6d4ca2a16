import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type Answer, call } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { eventLabel } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { may } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Ago } from "../../ui/ago.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useLater } from "../../ui/later.ts";
import type { Column } from "../../ui/table.tsx";
import { PagedTable } from "../parts/records/pagedTable.tsx";
import { changesOfRecords } from "../parts/records/removeRecord.ts";
import { SearchBar } from "../parts/records/searchBar.tsx";
import { useListAddress } from "../parts/records/useListAddress.ts";
import { DataLists } from "./lists.tsx";

type ActionRow = Answer<"GET /api/environments/{project_id}/actions/">["results"][number];

const PAUSE_MS = 250;
const PAGE = 100;
const LIST = "data-management/actions";

/** The actions of a project, with search. */
export function ActionsPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  useTitle("Actions");
  const { query } = useLocation();
  const [text, setText] = useState(query.search ?? "");
  const search = useLater(text, PAUSE_MS);
  const address = hrefOf(projectId, LIST) + (search === "" ? "" : `?${new URLSearchParams({ search })}`);
  const actions = usePages<ActionRow, number>(`${changesOfRecords.value} ${address}`, 0, async (offset, signal) => {
    const { results, next } = await call("GET /api/environments/{project_id}/actions/", {
      params: { project_id: project },
      query: { search: search.trim() || undefined, limit: PAGE, offset },
      signal,
    });
    return { items: results, next: next === null ? null : offset + PAGE };
  });
  useListAddress(address);
  return (
    <main class="page">
      <div class="page-head">
        <h1>Actions</h1>
        {may("action:write") && (
          <a class="button primary" href={hrefOf(projectId, `${LIST}/new`)}>
            <Icon name="plus" />
            New action
          </a>
        )}
      </div>
      <DataLists projectId={projectId} current="actions" />
      <SearchBar label="Search actions" placeholder="Name" value={text} onInput={setText} />
      <PagedTable
        label="Actions"
        list={actions}
        columns={columnsOf(projectId)}
        keyOf={({ id }) => id}
        nothing={search === "" ? "None yet: an action is one or more events under a name" : "Nothing is found"}
      />
    </main>
  );
}

function columnsOf(projectId: number): readonly Column<ActionRow>[] {
  return [
    {
      key: "name",
      label: "Action",
      cell: ({ id, name }) => {
        const shown = cut(name || "Untitled action");
        return (
          <a href={hrefOf(projectId, `${LIST}/${id}`)} dir="auto" title={shown}>
            {shown}
          </a>
        );
      },
    },
    { key: "description", label: "Description", cell: ({ description }) => cut(description) },
    {
      key: "events",
      label: "Events",
      cell: ({ steps }) => cut([...new Set(steps.map(({ event }) => eventLabel(event as string | null)))].join(" or ")),
    },
    {
      key: "by",
      label: "Made by",
      cell: ({ created_by: maker }) => (maker === null ? "" : cut(maker.first_name || maker.email)),
    },
    { key: "at", label: "Made", cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
