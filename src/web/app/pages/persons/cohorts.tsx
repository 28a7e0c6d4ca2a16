import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type Answer, call } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { formatNumber } from "../../format/number.ts";
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
import { OwnerTypes } from "./ownerTypes.tsx";
import { listAddress } from "./shown.ts";

type CohortRow = Answer<"GET /api/environments/{project_id}/cohorts/">["results"][number];

const PAUSE_MS = 250;
const PAGE = 100;

/** The cohorts of a project, with search. */
export function CohortsPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  useTitle("Cohorts");
  const { query } = useLocation();
  const [text, setText] = useState(query.search ?? "");
  const search = useLater(text, PAUSE_MS);
  const address = listAddress(hrefOf(projectId, "cohorts"), { search, filters: [] });
  const cohorts = usePages<CohortRow, number>(`${changesOfRecords.value} ${address}`, 0, async (offset, signal) => {
    const { results, next } = await call("GET /api/environments/{project_id}/cohorts/", {
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
        <h1>Cohorts</h1>
        {may("cohort:write") && (
          <a class="button primary" href={hrefOf(projectId, "cohorts/new")}>
            <Icon name="plus" />
            New cohort
          </a>
        )}
      </div>
      <OwnerTypes projectId={projectId} current="cohorts" />
      <SearchBar label="Search cohorts" placeholder="Name" value={text} onInput={setText} />
      <PagedTable
        label="Cohorts"
        list={cohorts}
        columns={columnsOf(projectId)}
        keyOf={({ id }) => id}
        nothing={search === "" ? "None yet: a cohort is a group of persons under a name" : "Nothing is found"}
      />
    </main>
  );
}

const KINDS: Record<CohortRow["cohort_type"], string> = {
  static: "a list",
  person_property: "by properties",
  behavioral: "by what they did",
  analytical: "by what they did",
};

function columnsOf(projectId: number): readonly Column<CohortRow>[] {
  return [
    {
      key: "name",
      label: "Cohort",
      cell: ({ id, name }) => {
        const shown = cut(name || "Untitled cohort");
        return (
          <a href={hrefOf(projectId, `cohorts/${id}`)} dir="auto" title={shown}>
            {shown}
          </a>
        );
      },
    },
    { key: "description", label: "Description", cell: ({ description }) => cut(description) },
    {
      key: "count",
      label: "Persons",
      isNumber: true,
      cell: ({ count, is_calculating: isCounting }) =>
        count === null ? <span class="pale">{isCounting ? "counting" : "–"}</span> : formatNumber(count),
    },
    { key: "kind", label: "Who", cell: ({ cohort_type }) => KINDS[cohort_type] },
    {
      key: "by",
      label: "Made by",
      cell: ({ created_by: maker }) => (maker === null ? "" : cut(maker.first_name || maker.email)),
    },
    { key: "at", label: "Made", cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
