import { call } from "../../api/client.ts";
import { DeleteSubject } from "../parts/events/deleteSubject.tsx";

interface DeleteGroupProps {
  projectId: number;
  group: { kind: "group"; index: number; key: string };
  name: string;
  onDeleted(): void;
  onClose(): void;
}

/** Its events can stay only: they are also their persons'. */
export function DeleteGroup({ projectId, group, ...dialog }: DeleteGroupProps) {
  return (
    <DeleteSubject
      {...dialog}
      projectId={projectId}
      subject={group}
      gone="Its properties are gone at once, for good, and it is in no list. A $groupidentify that comes later makes it anew."
      left="with its key"
      remove={() =>
        call("DELETE /api/environments/{project_id}/groups/", {
          params: { project_id: String(projectId) },
          query: { group_type_index: group.index as 0, group_key: group.key },
        })
      }
    />
  );
}
