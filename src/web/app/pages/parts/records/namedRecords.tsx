import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Answer } from "../../../api/client.ts";
import { usePages } from "../../../api/pages.ts";
import { cut } from "../../../question/seen.ts";
import { useMayMake } from "../../../session/environment.ts";
import { hrefOf } from "../../../shell/entries.ts";
import { useTitle } from "../../../shell/title.ts";
import { Ago } from "../../../ui/ago.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLater } from "../../../ui/later.ts";
import type { Column } from "../../../ui/table.tsx";
import { PagedTable } from "./pagedTable.tsx";
import { changesOfRecords, type What } from "./removeRecord.ts";
import { SearchBar } from "./searchBar.tsx";
import { useListAddress } from "./useListAddress.ts";

export type ActionRow = Answer<"GET /api/environments/{project_id}/actions/">["results"][number];
export type CohortRow = Answer<"GET /api/environments/{project_id}/cohorts/">["results"][number];

interface NamedRecordsProps<R> {
  projectId: number;
  what: What;
  /** Of the list, in its project. */
  path: string;
  /** The rows of a page. */
  load(
    query: { search: string | undefined; limit: number; offset: number },
    signal: AbortSignal,
  ): Promise<{ results: readonly R[]; next: string | null }>;
  /** Between what every record has. */
  columns: readonly Column<R>[];
  /** Where there is none. */
  nothing: string;
  /** Lists beside this one. */
  children: ComponentChildren;
}

const PAUSE_MS = 250;
const PAGE = 100;
const TITLES = { action: "Actions", cohort: "Cohorts" } as const;

/** The actions or cohorts of a project, with search. */
export function NamedRecords<R extends ActionRow | CohortRow>(props: NamedRecordsProps<R>) {
  const { projectId, what, path, load, columns, nothing, children } = props;
  const title = TITLES[what];
  useTitle(title);
  const { query } = useLocation();
  const mayMake = useMayMake(projectId);
  const [text, setText] = useState(query.search ?? "");
  const search = useLater(text, PAUSE_MS);
  const address = hrefOf(projectId, path) + (search === "" ? "" : `?${new URLSearchParams({ search })}`);
  const list = usePages<R, number>(`${changesOfRecords.value} ${address}`, 0, async (offset, signal) => {
    const { results, next } = await load({ search: search.trim() || undefined, limit: PAGE, offset }, signal);
    return { items: [...results], next: next === null ? null : offset + PAGE };
  });
  useListAddress(address);
  return (
    <main class="page">
      <div class="page-head">
        <h1>{title}</h1>
        {mayMake(what) && (
          <a class="button primary" href={hrefOf(projectId, `${path}/new`)}>
            <Icon name="plus" />
            New {what}
          </a>
        )}
      </div>
      {children}
      <SearchBar label={`Search ${what}s`} placeholder="Name" value={text} onInput={setText} />
      <PagedTable
        label={title}
        list={list}
        columns={[...namedColumns<R>({ projectId, what, path }), ...columns, ...madeColumns<R>()]}
        keyOf={({ id }) => id}
        nothing={search === "" ? nothing : "Nothing is found"}
      />
    </main>
  );
}

function namedColumns<R extends ActionRow | CohortRow>(
  o: Pick<NamedRecordsProps<R>, "projectId" | "what" | "path">,
): Column<R>[] {
  return [
    {
      key: "name",
      label: TITLES[o.what].slice(0, -1),
      cell: ({ id, name }) => {
        const shown = cut(name || `Untitled ${o.what}`);
        return (
          <a href={hrefOf(o.projectId, `${o.path}/${id}`)} dir="auto" title={shown}>
            {shown}
          </a>
        );
      },
    },
    { key: "description", label: "Description", cell: ({ description }) => cut(description) },
  ];
}

function madeColumns<R extends ActionRow | CohortRow>(): Column<R>[] {
  return [
    {
      key: "by",
      label: "Made by",
      cell: ({ created_by: maker }) => (maker === null ? "" : cut(maker.first_name || maker.email)),
    },
    { key: "at", label: "Made", cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
