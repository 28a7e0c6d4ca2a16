import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { usePages } from "../../api/pages.ts";
import { detailOf, nameOf, pageOf } from "../../kinds/people/actor.ts";
import { groupsOf } from "../../question/filters.ts";
import { PropertyFilters } from "../../question/propertyFilters.tsx";
import { cut } from "../../question/seen.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Ago } from "../../ui/ago.tsx";
import { useLater } from "../../ui/later.ts";
import type { Column } from "../../ui/table.tsx";
import { PagedTable } from "../parts/records/pagedTable.tsx";
import { SearchBar } from "../parts/records/searchBar.tsx";
import { useListAddress } from "../parts/records/useListAddress.ts";
import { loadPersons, type PersonRow } from "./list.ts";
import { OwnerTypes } from "./ownerTypes.tsx";
import { listAddress, readShown, type Shown } from "./shown.ts";

const PAUSE_MS = 250;

/** The persons of a project, with search and filters. */
export function PersonsPage({ project = "" }: { project?: string }) {
  useTitle("Persons");
  const projectId = Number(project);
  const { query } = useLocation();
  const [shown, setShown] = useState<Shown>(() => readShown(query));
  const asked = useLater(shown, PAUSE_MS);
  const address = listAddress(hrefOf(projectId, "persons"), asked);
  const persons = usePages<PersonRow, number>(address, 0, (offset, signal) =>
    loadPersons(projectId, asked, offset, signal),
  );
  useListAddress(address);
  const isNarrowed = asked.search !== "" || asked.filters.length > 0;
  return (
    <main class="page">
      <div class="page-head">
        <h1>Persons</h1>
      </div>
      <OwnerTypes projectId={projectId} current={null} />
      <SearchBar
        label="Search persons"
        placeholder="Name, e-mail or ID"
        value={shown.search}
        onInput={(search) => setShown({ ...shown, search })}
      >
        <PropertyFilters
          projectId={projectId}
          value={shown.filters}
          isFlat
          isAnd
          types={["person", "cohort"]}
          onChange={(group) => setShown({ ...shown, filters: groupsOf(group).values.flatMap(({ values }) => values) })}
        />
      </SearchBar>
      <PagedTable
        label="Persons"
        list={persons}
        columns={columnsOf(projectId)}
        keyOf={({ id }) => id}
        nothing={isNarrowed ? "Nobody is found" : "Nobody yet: persons come with the first events"}
      />
    </main>
  );
}

function columnsOf(projectId: number): readonly Column<PersonRow>[] {
  return [
    {
      key: "name",
      label: "Person",
      cell: (person) => (
        <a href={pageOf(projectId, person)} dir="auto" title={cut(nameOf(person))}>
          {cut(nameOf(person))}
        </a>
      ),
    },
    { key: "detail", label: "E-mail or ID", cell: (person) => cut(detailOf(person)) },
    {
      key: "identified",
      label: "Identified",
      cell: ({ is_identified }) => (is_identified ? "yes" : <span class="pale">no</span>),
    },
    {
      key: "ids",
      label: "IDs",
      isNumber: true,
      cell: ({ distinct_ids }) => String(distinct_ids.length),
    },
    {
      key: "created",
      label: "First seen",
      cell: ({ created_at }) => (created_at === null ? "" : <Ago at={created_at} />),
    },
  ];
}
