import { levelLabel, levelsToGive, ownLevel } from "../../../session/levels.ts";
import { type Member, memberName } from "../../../session/members.ts";
import { isAdmin } from "../../../session/rights.ts";
import { user } from "../../../session/session.ts";
import { Ago } from "../../../ui/ago.tsx";
import { Button } from "../../../ui/button.tsx";
import { Select } from "../../../ui/field.tsx";
import type { Column } from "../../../ui/table.tsx";

interface Acts {
  setLevel(member: Member, level: Member["level"]): void;
  remove(member: Member): void;
}

const isOwn = ({ id }: Member): boolean => id === user.value?.uuid;

/** Whether the user may change a member: admins may, up to their own level, others than themselves. */
const mayChange = (member: Member): boolean => isAdmin() && !isOwn(member) && member.level <= ownLevel();

/** Of the table of members. */
export function memberColumns({ setLevel, remove }: Acts): readonly Column<Member>[] {
  return [
    {
      key: "name",
      label: "Name",
      cell: (member) => (
        <>
          <span class="member-text" dir="auto" title={memberName(member)}>
            {memberName(member)}
          </span>
          {isOwn(member) && <span class="badge">you</span>}
        </>
      ),
      sortBy: memberName,
    },
    {
      key: "level",
      label: "Level",
      widthPx: 136,
      cell: (member) =>
        mayChange(member) ? (
          <Select
            label={`Level of ${memberName(member)}`}
            value={member.level}
            choices={levelsToGive()}
            onChange={(level) => setLevel(member, level)}
          />
        ) : (
          levelLabel(member.level)
        ),
      sortBy: ({ level }) => level,
    },
    {
      key: "email",
      label: "E-mail",
      cell: ({ user: { email } }) => (
        <span class="member-text long" dir="auto" title={email}>
          {email}
        </span>
      ),
      sortBy: ({ user: { email } }) => email,
    },
    {
      key: "login",
      label: "Last login",
      cell: ({ last_login }) => (last_login === null ? "never" : <Ago at={last_login} />),
      sortBy: ({ last_login }) => last_login,
    },
    {
      key: "remove",
      label: "Actions",
      isLabelHidden: true,
      isNumber: true,
      cell: (member) =>
        (isOwn(member) || mayChange(member)) && (
          <Button look="quiet" onClick={() => remove(member)}>
            {isOwn(member) ? "Leave" : "Remove"}
            {!isOwn(member) && <span class="unseen"> {memberName(member)}</span>}
          </Button>
        ),
    },
  ];
}
