import { call } from "../api/client.ts";
import { may } from "./rights.ts";
import { user } from "./session.ts";

/** Remembers which project is open: the next visit begins there. */
export function openProject(id: number): void {
  const known = user.peek();
  const team = known?.organization.teams.find((one) => one.id === id);
  if (!known || team === undefined || known.team?.id === id) return;
  user.value = { ...known, team };
  if (!may("user:write")) return;
  const body = { set_current_team: id };
  // The page is there without it.
  call("PATCH /api/users/{uuid}/", { params: { uuid: "@me" }, body }).catch(() => {});
}
