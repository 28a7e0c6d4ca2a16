import { call } from "../../api/client.ts";
import { formatNumber } from "../../format/number.ts";
import type { Column } from "../../ui/table.tsx";
import { type CohortRow, NamedRecords } from "../parts/records/namedRecords.tsx";
import { OwnerTypes } from "./ownerTypes.tsx";

/** The cohorts of a project, with search. */
export function CohortsPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  return (
    <NamedRecords<CohortRow>
      projectId={projectId}
      what="cohort"
      path="cohorts"
      load={(query, signal) =>
        call("GET /api/environments/{project_id}/cohorts/", { params: { project_id: project }, query, signal })
      }
      columns={COLUMNS}
      nothing="None yet: a cohort is a group of persons under a name"
    >
      <OwnerTypes projectId={projectId} current="cohorts" />
    </NamedRecords>
  );
}

const KINDS: Record<CohortRow["cohort_type"], string> = {
  static: "a list",
  person_property: "by properties",
  behavioral: "by what they did",
  analytical: "by what they did",
};

const COLUMNS: readonly Column<CohortRow>[] = [
  {
    key: "count",
    label: "Persons",
    isNumber: true,
    cell: ({ count, is_calculating: isCounting }) =>
      count === null ? <span class="pale">{isCounting ? "counting" : "–"}</span> : formatNumber(count),
  },
  { key: "kind", label: "Who", cell: ({ cohort_type }) => KINDS[cohort_type] },
];
