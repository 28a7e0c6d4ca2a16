import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { CURRENT, MEMBERS, type Member, memberName, useMembers } from "../../../session/members.ts";
import { isAdmin } from "../../../session/rights.ts";
import { enter, user } from "../../../session/session.ts";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { Problem } from "../../../ui/notice.tsx";
import { Table } from "../../../ui/table.tsx";
import { told } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";
import { Invites } from "./invites.tsx";
import { memberColumns } from "./memberColumns.tsx";
import { NewInvite } from "./newInvite.tsx";

/** Who belongs to this Weir: admins invite, change levels and remove; everyone can leave. */
export function Members() {
  const { data, error } = useMembers();
  const [isInviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<Member | null>(null);
  if (data === undefined && error !== undefined) return <Problem error={error} onRetry={() => invalidate(MEMBERS)} />;
  const setLevel = (member: Member, level: Member["level"]) =>
    told(async () => {
      const params = { ...CURRENT, uuid: member.id };
      try {
        await call("PATCH /api/organizations/{id}/members/{uuid}/", { params, body: { level } });
        toast(`Changed the level of ${memberName(member)}`);
      } finally {
        invalidate(MEMBERS);
      }
    });
  return (
    <>
      <Table
        label="Members"
        columns={memberColumns({ setLevel, remove: setLeaving })}
        rows={data?.results}
        keyOf={({ id }) => id}
      />
      {data !== undefined && data.count > data.results.length && <p>The first {data.results.length} are shown.</p>}
      {isAdmin() && (
        <>
          <Invites />
          <p>
            <Button icon="plus" onClick={() => setInviting(true)}>
              Invite
            </Button>
          </p>
        </>
      )}
      {isInviting && <NewInvite onClose={() => setInviting(false)} />}
      {leaving !== null && <Removal member={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

/** Asks before a member is removed, or the user leaves. */
function Removal({ member, onClose }: { member: Member; onClose(): void }) {
  const { route } = useLocation();
  const isOwn = member.id === user.value?.uuid;
  const name = memberName(member);
  const remove = async () => {
    await call("DELETE /api/organizations/{id}/members/{uuid}/", { params: { ...CURRENT, uuid: member.id } });
    if (!isOwn) return invalidate(MEMBERS);
    enter(null);
    route("/login", true);
  };
  return (
    <Confirm
      title={isOwn ? "Leave this Weir?" : `Remove ${name}?`}
      action={isOwn ? "Leave" : "Remove"}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      {isOwn ? "You are logged out, and your keys end at once. " : "Sessions and keys of this member end at once. "}
      Insights and dashboards stay. Only another invitation leads back.
    </Confirm>
  );
}
