import { invalidate, useData } from "../../../api/cache.ts";
import { type Answer, call } from "../../../api/client.ts";
import { levelLabel } from "../../../session/levels.ts";
import { CURRENT } from "../../../session/members.ts";
import { Ago } from "../../../ui/ago.tsx";
import { Button } from "../../../ui/button.tsx";
import { Problem } from "../../../ui/notice.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { told } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";

/** Of the list in the cache. */
export const INVITES = "invites";

type Invite = Answer<"GET /api/organizations/{id}/invites/">["results"][number];

/** Invitations that nobody has accepted; nothing where there are none. */
export function Invites() {
  const { data, error } = useData(INVITES, () =>
    call("GET /api/organizations/{id}/invites/", { params: CURRENT, query: { limit: 1000 } }),
  );
  if (data === undefined && error !== undefined) return <Problem error={error} onRetry={() => invalidate(INVITES)} />;
  if (data === undefined || data.count === 0) return null;
  const takeBack = (invite: Invite) =>
    told(async () => {
      const params = { ...CURRENT, invite_id: invite.id };
      await call("DELETE /api/organizations/{id}/invites/{invite_id}/", { params });
      toast(`The invitation of ${invite.target_email} has ended`);
      invalidate(INVITES);
    });
  return <Table label="Invitations" columns={columnsWith(takeBack)} rows={data.results} keyOf={({ id }) => id} />;
}

function columnsWith(takeBack: (invite: Invite) => void): readonly Column<Invite>[] {
  return [
    {
      key: "email",
      label: "Invited",
      cell: ({ target_email }) => (
        <span class="member-text long" dir="auto" title={target_email}>
          {target_email}
        </span>
      ),
    },
    { key: "level", label: "Level", cell: ({ level }) => levelLabel(level) },
    {
      key: "ends",
      label: "Link ends",
      cell: ({ expires_at }) => <Ago at={expires_at} />,
      sortBy: ({ expires_at }) => expires_at,
    },
    {
      key: "back",
      label: "Actions",
      isLabelHidden: true,
      isNumber: true,
      cell: (invite) => (
        <Button look="quiet" onClick={() => takeBack(invite)}>
          Take back
          <span class="unseen"> the invitation of {invite.target_email}</span>
        </Button>
      ),
    },
  ];
}
