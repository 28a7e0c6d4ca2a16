import { user } from "../../session/session.ts";
import { Start } from "../start/start.tsx";
import { Overview } from "./overview.tsx";

/** What a project begins with: how to send events, until there is one; then what was looked at last. */
export function HomePage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  const team = user.value?.organization.teams.find(({ id }) => id === projectId);
  return team?.ingested_event === false ? <Start projectId={projectId} /> : <Overview projectId={projectId} />;
}
