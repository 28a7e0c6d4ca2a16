import { type AccessControl, ENVIRONMENT_LEVELS, findUsers, OBJECT_LEVELS } from "../../metadata/mod.ts";
import { nullable, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { shape, userOf, type WithUsers } from "./shape.ts";

/** One level that somebody has set. */
export const ACCESS_CONTROL = shape<AccessControl, WithUsers>("AccessControl", {
  access_level: [oneOf([...new Set([...OBJECT_LEVELS, ...ENVIRONMENT_LEVELS])]), "level"],
  resource: text("`project` is an environment."),
  resource_id: [
    nullable(text("Of one record; null for all of the kind.")),
    ({ resourceId }) => (resourceId === null ? null : String(resourceId)),
  ],
  organization_member: [
    nullable(UUID),
    ({ userId }, { users }) => (userId === null ? null : (users.get(userId)?.uuid ?? null)),
  ],
  role: [nullable(UUID), "roleId"],
  created_by: userOf(({ setBy }) => setBy),
  created_at: TIME,
  updated_at: TIME,
});

/** The users that levels name. */
export async function readPeople(tx: Tx, controls: readonly AccessControl[]): Promise<WithUsers> {
  return {
    users: await findUsers(
      tx,
      controls.flatMap(({ setBy, userId }) => [setBy, userId]),
    ),
  };
}

export const showAccess = (control: AccessControl, people: WithUsers) => ACCESS_CONTROL.show(control, people);
