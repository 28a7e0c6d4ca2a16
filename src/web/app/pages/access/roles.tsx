import { useState } from "preact/hooks";
import { invalidate } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import type { Role } from "../../api/schema.ts";
import { listText } from "../../format/name.ts";
import { formatCount } from "../../format/number.ts";
import { CURRENT } from "../../session/members.ts";
import { isAdmin } from "../../session/rights.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ROLES, useRoles } from "../parts/access/useRoles.ts";
import { RoleDialog, roleMemberName } from "./roleDialog.tsx";

type Opened = { what: "new" } | { what: "edit" | "delete"; id: string } | null;

/** The roles; admins make, rename, give, take and delete them. */
export function Roles() {
  const { data, error } = useRoles();
  const [opened, open] = useState<Opened>(null);
  const close = () => open(null);
  if (data === undefined && error !== undefined) return <Problem error={error} onRetry={() => invalidate(ROLES)} />;
  const role = opened !== null && opened.what !== "new" ? data?.results.find(({ id }) => id === opened.id) : undefined;
  const remove = async ({ id }: Role) => {
    await call("DELETE /api/organizations/{id}/roles/{role_id}/", { params: { ...CURRENT, role_id: id } });
    invalidate(ROLES);
    invalidate("levels/");
  };
  return (
    <>
      <Table
        label="Roles"
        columns={columnsWith((what, { id }) => open({ what, id }))}
        rows={data?.results}
        keyOf={({ id }) => id}
        nothing="There are no roles"
      />
      {isAdmin() && (
        <p>
          <Button icon="plus" onClick={() => open({ what: "new" })}>
            New role
          </Button>
        </p>
      )}
      {opened?.what === "new" && (
        <RoleDialog of={null} onMade={({ id }) => open({ what: "edit", id })} onClose={close} />
      )}
      {opened?.what === "edit" && role !== undefined && <RoleDialog key={role.id} of={role} onClose={close} />}
      {opened?.what === "delete" && role !== undefined && (
        <Confirm
          title={`Delete the role “${role.name}”?`}
          action="Delete"
          isDangerous
          onConfirm={() => remove(role)}
          onClose={close}
        >
          The levels that are set for it end in all projects. {formatCount(role.members.length, "member")} had it.
        </Confirm>
      )}
    </>
  );
}

function columnsWith(open: (what: "edit" | "delete", role: Role) => void): readonly Column<Role>[] {
  const columns: Column<Role>[] = [
    {
      key: "name",
      label: "Name",
      cell: ({ name }) => (
        <span class="member-text" dir="auto" title={name}>
          {name}
        </span>
      ),
      sortBy: ({ name }) => name,
    },
    {
      key: "members",
      label: "Members",
      cell: ({ members }) => (
        <span class="member-text long" dir="auto" title={members.map(roleMemberName).join(", ")}>
          {members.length === 0 ? "nobody" : listText(members.map(roleMemberName))}
        </span>
      ),
    },
  ];
  if (!isAdmin()) return columns;
  return [
    ...columns,
    {
      key: "actions",
      label: "Actions",
      isLabelHidden: true,
      isNumber: true,
      cell: (role) => (
        <>
          <Button look="quiet" onClick={() => open("edit", role)}>
            Edit
            <span class="unseen"> {role.name}</span>
          </Button>
          <Button look="quiet" onClick={() => open("delete", role)}>
            Delete
            <span class="unseen"> {role.name}</span>
          </Button>
        </>
      ),
    },
  ];
}
