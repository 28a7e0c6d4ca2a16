import { call } from "../../api/client.ts";
import { eventLabel } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import type { Column } from "../../ui/table.tsx";
import { type ActionRow, NamedRecords } from "../parts/records/namedRecords.tsx";
import { DataLists } from "./lists.tsx";

/** The actions of a project, with search. */
export function ActionsPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  return (
    <NamedRecords<ActionRow>
      projectId={projectId}
      what="action"
      path="data-management/actions"
      load={(query, signal) =>
        call("GET /api/environments/{project_id}/actions/", { params: { project_id: project }, query, signal })
      }
      columns={COLUMNS}
      nothing="None yet: an action is one or more events under a name"
    >
      <DataLists projectId={projectId} current="actions" />
    </NamedRecords>
  );
}

const COLUMNS: readonly Column<ActionRow>[] = [
  {
    key: "events",
    label: "Events",
    cell: ({ steps }) => cut([...new Set(steps.map(({ event }) => eventLabel(event as string | null)))].join(" or ")),
  },
];
