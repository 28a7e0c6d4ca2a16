import { useState } from "preact/hooks";
import { useData } from "../../../api/cache.ts";
import type { QueryNode } from "../../../api/node.ts";
import { runQuery } from "../../../api/query.ts";
import { formatNumber } from "../../../format/number.ts";
import { Confirm } from "../../../ui/confirm.tsx";
import { Checkbox } from "../../../ui/field.tsx";
import { toast } from "../../../ui/toast.tsx";
import { type Subject, subjectKey } from "./subject.ts";

interface DeleteSubjectProps {
  projectId: number;
  subject: Exclude<Subject, { kind: "distinctId" }>;
  name: string;
  /** What goes, and how it could come again. */
  gone: string;
  /** How its events stay, such as "without a person". */
  left: string;
  /** Whether its events can go, too. */
  mayTakeEvents?: boolean;
  remove(withEvents: boolean): Promise<unknown>;
  onDeleted(): void;
  onClose(): void;
}

/** Says what goes with a person or a group, and deletes it. */
export function DeleteSubject(props: DeleteSubjectProps) {
  const { projectId, subject, name, gone, left, mayTakeEvents = false, remove, onDeleted, onClose } = props;
  const [withEvents, setWithEvents] = useState(false);
  const { data: count } = useData(`eventCount/${projectId}/${subjectKey(subject)}`, () =>
    countEvents(projectId, subject),
  );
  const isOne = count === 1;
  const events = count === undefined ? "Its events" : `Its ${formatNumber(count)} ${isOne ? "event" : "events"}`;
  const confirm = async () => {
    await remove(withEvents);
    toast(`Deleted “${name}”`);
    onDeleted();
  };
  return (
    <Confirm
      title={`Delete “${name}”?`}
      action={withEvents ? "Delete with its events" : "Delete"}
      isDangerous
      onConfirm={confirm}
      onClose={onClose}
    >
      <div class="stack">
        <p>{gone}</p>
        <p>
          {events}{" "}
          {withEvents
            ? `${isOne ? "goes" : "go"} too, with those that wait to be stored.`
            : `${isOne ? "stays" : "stay"}, ${left}.`}
        </p>
        {mayTakeEvents && <Checkbox label="Delete its events, too" isOn={withEvents} onChange={setWithEvents} />}
      </div>
    </Confirm>
  );
}

async function countEvents(projectId: number, subject: DeleteSubjectProps["subject"]): Promise<number> {
  const [column, value] =
    subject.kind === "person" ? ["person_id", subject.id] : [`$group_${subject.index}`, subject.key];
  const query = `SELECT count() FROM events WHERE ${column} = {value}`;
  const node = { kind: "HogQLQuery", query, values: { value } } as unknown as QueryNode;
  const { results } = await runQuery(projectId, node, { signal: new AbortController().signal });
  return Number((results as number[][])[0]?.[0] ?? 0);
}
