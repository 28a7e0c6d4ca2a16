import { invalidate, useData } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { useMembers } from "../../../session/members.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Select } from "../../../ui/field.tsx";
import { Problem, Skeleton } from "../../../ui/notice.tsx";
import { told, useTask } from "../../../ui/task.ts";
import { type Choice, choiceOf, DEFAULT, FOR_ALL, FOR_NAMED, type Row, rowsOf, type Subject, unnamed } from "./rows.ts";
import { useRoles } from "./useRoles.ts";

interface AccessProps {
  what: "dashboard" | "insight" | "cohort" | "action";
  projectId: number;
  id: number;
  onClose(): void;
}

/** Says what all members may do with an object of a project, and some of them by name or role. Each choice is saved at once. */
export function Access({ what, projectId, id, onClose }: AccessProps) {
  const key = `access/${projectId}/${what}/${id}`;
  const params = { project_id: String(projectId), id };
  const path = `/api/environments/{project_id}/${what}s/{id}/access_controls/` as const;
  const known = useData(key, () => call(`GET ${path}`, { params }));
  const members = useMembers();
  const roles = useRoles();
  const task = useTask();
  const set = (subject: Subject, choice: Choice) =>
    void task.run(() =>
      told(async () => {
        const body = { ...subject, access_level: choice === DEFAULT ? null : choice };
        try {
          await call(`PUT ${path}`, { params, body });
        } finally {
          invalidate(key);
        }
      }),
    );
  const error = known.error ?? members.error ?? roles.error;
  const people = { members: members.data?.results ?? [], roles: roles.data?.results ?? [] };
  const isThere = known.data !== undefined && members.data !== undefined && roles.data !== undefined;
  return (
    <Dialog title="Who may see or edit" onClose={onClose}>
      {error !== undefined && <Problem error={error} />}
      {!isThere && error === undefined && <Skeleton heightPx={120} />}
      {isThere && (
        <div class="access" aria-busy={task.isBusy}>
          <div class="access-row">
            <span>All members</span>
            <Select
              label="All members"
              value={choiceOf(known.data!.access_controls)}
              choices={FOR_ALL}
              onChange={(choice) => set({}, choice)}
            />
          </div>
          {rowsOf(known.data!.access_controls, people).map((row) => (
            <NamedRow key={row.key} row={row} onSet={(choice) => set(row.subject, choice)} />
          ))}
          <Select
            label="Somebody else"
            value=""
            choices={[
              { value: "", label: "Add a member or a role…" },
              ...unnamed(known.data!.access_controls, people).map(({ key: value, label }) => ({ value, label })),
            ]}
            onChange={(added) => {
              const row = unnamed(known.data!.access_controls, people).find((one) => one.key === added);
              if (row !== undefined) set(row.subject, "viewer");
            }}
          />
          <p class="tile-note">
            Members that are named here have the level beside their name, whatever the others have. Admins, owners and
            the one who made this {what} can always do everything.
          </p>
        </div>
      )}
    </Dialog>
  );
}

function NamedRow({ row, onSet }: { row: Row; onSet(choice: Choice): void }) {
  return (
    <div class="access-row">
      <span dir="auto" title={row.title}>
        {row.label}
      </span>
      <Select label={row.label} value={row.level} choices={FOR_NAMED} onChange={onSet} />
      <IconButton label={`Take ${row.label} off the list`} icon="close" onClick={() => onSet(DEFAULT)} />
    </div>
  );
}
