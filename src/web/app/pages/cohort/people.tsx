import { useMemo, useState } from "preact/hooks";
import { usePages } from "../../api/pages.ts";
import { detailOf, nameOf, pageOf } from "../../kinds/people/actor.ts";
import { cut } from "../../question/seen.ts";
import { mayEdit } from "../../session/rights.ts";
import { Ago } from "../../ui/ago.tsx";
import { IconButton } from "../../ui/button.tsx";
import { useLater } from "../../ui/later.ts";
import type { Column } from "../../ui/table.tsx";
import { told } from "../../ui/task.ts";
import { PagedTable } from "../parts/records/pagedTable.tsx";
import { SearchBar } from "../parts/records/searchBar.tsx";
import { type Cohort, type CohortPerson, loadPeople, removePerson } from "./load.ts";

const PAUSE_MS = 250;

/** The persons of a saved cohort as they are now. */
export function CohortPeople({ projectId, cohort }: { projectId: number; cohort: Cohort }) {
  const [text, setText] = useState("");
  const search = useLater(text, PAUSE_MS);
  const { id, filters, count } = cohort;
  const people = usePages<CohortPerson, number>(
    `${projectId} ${id} ${search} ${JSON.stringify(filters)} ${cohort.is_static ? count : ""}`,
    0,
    (offset, signal) => loadPeople(projectId, { id, search }, offset, signal),
  );
  const columns = useMemo(() => columnsOf(projectId, cohort), [projectId, cohort]);
  return (
    <>
      <SearchBar
        label="Search the persons of the cohort"
        placeholder="Name, e-mail or ID"
        value={text}
        onInput={setText}
      />
      <PagedTable
        label="Persons of the cohort"
        list={people}
        columns={columns}
        keyOf={({ id }) => id}
        nothing={search === "" ? "Nobody is in it now" : "Nobody is found"}
      />
    </>
  );
}

function columnsOf(projectId: number, cohort: Cohort): readonly Column<CohortPerson>[] {
  const columns: Column<CohortPerson>[] = [
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
      key: "created",
      label: "First seen",
      cell: ({ created_at }) => (created_at === null ? "" : <Ago at={created_at} />),
    },
  ];
  if (!cohort.is_static || !mayEdit("cohort", cohort)) return columns;
  const remove = (person: CohortPerson) => void told(() => removePerson(projectId, cohort.id, person.uuid));
  columns.push({
    key: "remove",
    label: "Remove",
    isLabelHidden: true,
    cell: (person) => (
      <IconButton label={`Take ${cut(nameOf(person))} off the list`} icon="close" onClick={() => remove(person)} />
    ),
  });
  return columns;
}
