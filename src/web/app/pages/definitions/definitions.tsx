import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { formatNumber } from "../../format/number.ts";
import { useGroupTypes } from "../../question/definitions.ts";
import { useTitle } from "../../shell/title.ts";
import { Segments } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { Table } from "../../ui/table.tsx";
import { SearchBar } from "../parts/records/searchBar.tsx";
import { useListAddress } from "../parts/records/useListAddress.ts";
import { columnsOf, firstSort } from "./columns.tsx";
import { DataLists } from "./lists.tsx";
import { listPath, readSubject, type Subject, sameSubject, subjectsOf } from "./subject.ts";
import { CHOICES, type Choice, useNames } from "./useNames.ts";

/** The names of the events of a project, with search. */
export function EventDefinitionsPage({ project = "" }: { project?: string }) {
  return <Names key={project} projectId={Number(project)} subject={{ kind: "event" }} />;
}

/** The names of the properties of events, persons or groups. */
export function PropertyDefinitionsPage({ project = "" }: { project?: string }) {
  const { query } = useLocation();
  const subject = readSubject(query);
  return <Names key={`${project} ${JSON.stringify(subject)}`} projectId={Number(project)} subject={subject} />;
}

function Names({ projectId, subject }: { projectId: number; subject: Subject }) {
  const { query } = useLocation();
  const [typed, setTyped] = useState(query.search ?? "");
  const [choice, setChoice] = useState<Choice>(CHOICES.find(({ value }) => value === query.show)?.value ?? "all");
  const names = useNames(projectId, subject, { typed, choice });
  const columns = useMemo(() => columnsOf(projectId, subject), [projectId, subject.kind]);
  const types = useGroupTypes(projectId);
  const label = subjectsOf(types).find((one) => sameSubject(one.subject, subject))?.label ?? "Group properties";
  useTitle(label);
  const address = addressOf(listPath(projectId, subject), typed, choice);
  useListAddress(address);
  const { rows, items, error, isLoading, isComplete, isPartial } = names;
  const isNarrowed = typed.trim() !== "" || choice !== "all";
  return (
    <main class="page">
      <div class="page-head">
        <h1>{label}</h1>
        {isComplete && <span class="pale">{countText(rows.length, items.length)}</span>}
      </div>
      <DataLists projectId={projectId} current={subject} />
      <SearchBar label="Search names" placeholder="Name, description or tag" value={typed} onInput={setTyped}>
        <Segments label="Which names" value={choice} choices={CHOICES} onChange={(next) => setChoice(next)} />
      </SearchBar>
      {error !== undefined && <Problem error={error} onRetry={names.again} />}
      {(error === undefined || items.length > 0) && (
        <Table
          label={label}
          columns={columns}
          rows={isLoading && items.length === 0 ? undefined : rows}
          keyOf={({ id }) => id}
          sort={firstSort(subject)}
          nothing={isNarrowed ? "No name is found" : "None yet: names come with the first events"}
        />
      )}
      {isPartial && (
        <p class="pale">These are the first {formatNumber(items.length)}; a search finds the others, too.</p>
      )}
    </main>
  );
}

function addressOf(path: string, typed: string, choice: Choice): string {
  const query = new URLSearchParams();
  if (typed.trim() !== "") query.set("search", typed);
  if (choice !== "all") query.set("show", choice);
  const text = query.toString();
  return text === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${text}`;
}

const countText = (shown: number, all: number): string =>
  shown === all ? formatNumber(all) : `${formatNumber(shown)} of ${formatNumber(all)}`;
