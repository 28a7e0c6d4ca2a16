import { useState } from "preact/hooks";
import { useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { runQuery } from "../../api/query.ts";
import { formatNumber } from "../../format/number.ts";
import { useEnvironment } from "../../session/environment.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { toast } from "../../ui/toast.tsx";

interface DeletePersonProps {
  projectId: number;
  person: { uuid: string; distinct_ids: readonly string[] };
  name: string;
  onDeleted(): void;
  onClose(): void;
}

/** Says what goes with a person, and deletes it. */
export function DeletePerson({ projectId, person, name, onDeleted, onClose }: DeletePersonProps) {
  const { uuid, distinct_ids: ids } = person;
  const [withEvents, setWithEvents] = useState(false);
  const isAdmin = useEnvironment(projectId).data?.user_access_level === "admin";
  const { data: count } = useData(`eventCount/${projectId}/${uuid}`, () => countEvents(projectId, uuid));
  const events = count === undefined ? "Its events" : `Its ${formatNumber(count)} ${count === 1 ? "event" : "events"}`;
  const remove = async () => {
    await call("DELETE /api/environments/{project_id}/persons/{id}/", {
      params: { project_id: String(projectId), id: uuid },
      query: { delete_events: withEvents ? true : undefined },
    });
    toast(`Deleted “${name}”`);
    onDeleted();
  };
  return (
    <Confirm
      title={`Delete “${name}”?`}
      action={withEvents ? "Delete with its events" : "Delete"}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <div class="stack">
        <p>
          Its properties and its {ids.length === 1 ? "ID" : `${formatNumber(ids.length)} IDs`} are gone at once, for
          good. An ID that is sent again becomes a new person.
        </p>
        <p>
          {events} {withEvents ? "go too, with those that wait to be stored." : "stay, without a person."}
        </p>
        {isAdmin && <Checkbox label="Delete its events, too" isOn={withEvents} onChange={setWithEvents} />}
      </div>
    </Confirm>
  );
}

async function countEvents(projectId: number, uuid: string): Promise<number> {
  const query = `SELECT count() FROM events WHERE person_id = '${uuid}'`;
  const { signal } = new AbortController();
  const { results } = await runQuery(projectId, { kind: "HogQLQuery", query }, { signal });
  return Number((results as number[][])[0]?.[0] ?? 0);
}
