import { call } from "../../api/client.ts";
import { formatNumber } from "../../format/number.ts";
import { useEnvironment } from "../../session/environment.ts";
import { DeleteSubject } from "../parts/events/deleteSubject.tsx";

interface DeletePersonProps {
  projectId: number;
  person: { uuid: string; distinct_ids: readonly string[] };
  name: string;
  onDeleted(): void;
  onClose(): void;
}

/** Admins may delete the events of a person, too. */
export function DeletePerson({ projectId, person, ...dialog }: DeletePersonProps) {
  const { uuid, distinct_ids: ids } = person;
  const isAdmin = useEnvironment(projectId).data?.user_access_level === "admin";
  const own = ids.length === 1 ? "ID" : `${formatNumber(ids.length)} IDs`;
  return (
    <DeleteSubject
      {...dialog}
      projectId={projectId}
      subject={{ kind: "person", id: uuid }}
      gone={`Its properties and its ${own} are gone at once, for good. An ID that is sent again becomes a new person.`}
      left="without a person"
      mayTakeEvents={isAdmin}
      remove={(withEvents) =>
        call("DELETE /api/environments/{project_id}/persons/{id}/", {
          params: { project_id: String(projectId), id: uuid },
          query: { delete_events: withEvents ? true : undefined },
        })
      }
    />
  );
}
