import { useState } from "preact/hooks";
import { invalidate } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import type { Role, RoleMembership } from "../../api/schema.ts";
import { CURRENT, memberName, useMembers } from "../../session/members.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Select, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { told, useTask } from "../../ui/task.ts";
import { ROLES } from "../parts/access/useRoles.ts";

interface RoleDialogProps {
  /** Null: it is made. */
  of: Role | null;
  onMade?(role: Role): void;
  onClose(): void;
}

/** What somebody that has a role is called. */
export const roleMemberName = ({ user }: RoleMembership): string => user?.first_name || user?.email || "somebody";

/** The name of a role and, once there is one, the members that have it. */
export function RoleDialog({ of: role, onMade, onClose }: RoleDialogProps) {
  const [name, setName] = useState(role?.name ?? "");
  const task = useTask();
  const save = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const body = { name: name.trim() };
      if (role === null) onMade?.(await call("POST /api/organizations/{id}/roles/", { params: CURRENT, body }));
      else {
        const params = { ...CURRENT, role_id: role.id };
        await call("PATCH /api/organizations/{id}/roles/{role_id}/", { params, body });
      }
      invalidate(ROLES);
    });
  };
  return (
    <Dialog title={role === null ? "New role" : "Role"} onClose={onClose}>
      <div class="stack">
        <form class="form" onSubmit={save}>
          <TextField
            label="Name"
            required
            maxLength={200}
            dir="auto"
            value={name}
            problem={task.problem}
            hint="Such as “Analysts”."
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <p class="form-end">
            <Button
              look="primary"
              type="submit"
              isBusy={task.isBusy}
              disabled={name.trim() === "" || name.trim() === role?.name}
            >
              {role === null ? "Make the role" : "Rename"}
            </Button>
          </p>
        </form>
        {role !== null && <RoleMembers role={role} />}
      </div>
    </Dialog>
  );
}

/** Each change is saved at once. */
function RoleMembers({ role }: { role: Role }) {
  const members = useMembers();
  const task = useTask();
  const has = new Set(role.members.map(({ user }) => user?.uuid));
  const others = (members.data?.results ?? []).filter(({ id }) => !has.has(id));
  const change = (act: () => Promise<unknown>) =>
    void task.run(() =>
      told(async () => {
        try {
          await act();
        } finally {
          invalidate(ROLES);
        }
      }),
    );
  const params = { ...CURRENT, role_id: role.id };
  const give = (user_uuid: string) =>
    change(() =>
      call("POST /api/organizations/{id}/roles/{role_id}/role_memberships/", { params, body: { user_uuid } }),
    );
  const take = ({ id }: RoleMembership) =>
    change(() =>
      call("DELETE /api/organizations/{id}/roles/{role_id}/role_memberships/{membership_id}/", {
        params: { ...params, membership_id: id },
      }),
    );
  return (
    <div class="access" aria-busy={task.isBusy}>
      <h3>Members</h3>
      {members.error !== undefined && <Problem error={members.error} />}
      {role.members.map((one) => (
        <div key={one.id} class="access-row">
          <span dir="auto" title={one.user?.email}>
            {roleMemberName(one)}
          </span>
          <IconButton
            label={`Take the role from ${roleMemberName(one)}`}
            icon="close"
            disabled={task.isBusy}
            onClick={() => take(one)}
          />
        </div>
      ))}
      <Select
        label="Give it to"
        value=""
        choices={[
          { value: "", label: "Give it to a member…" },
          ...others.map((one) => ({ value: one.id, label: `${memberName(one)} (${one.user.email})` })),
        ]}
        onChange={(id) => id !== "" && give(id)}
      />
    </div>
  );
}
