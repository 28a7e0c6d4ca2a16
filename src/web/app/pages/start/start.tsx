import { isAdmin } from "../../session/rights.ts";
import { projectsOfUser } from "../../shell/projects.tsx";
import { useTitle } from "../../shell/title.ts";
import { Snippets } from "../parts/start/snippet.tsx";
import { DemoButton } from "./demo.tsx";
import { Waiting } from "./waiting.tsx";

/** The first five minutes of a project: send an event, see it come, have a dashboard. */
export function StartPage({ project = "" }: { project?: string }) {
  useTitle("Get started");
  const projectId = Number(project);
  const key = projectsOfUser().find(({ id }) => id === projectId)?.api_token ?? "";
  return (
    <main class="page start">
      <div class="page-head">
        <h1>Send the first event</h1>
        {isAdmin() && <DemoButton />}
      </div>
      <p class="start-about">
        Add one of these snippets to your product. The project key is filled in already; PostHog's SDKs work unchanged.
      </p>
      <Snippets apiKey={key} />
      <Waiting projectId={projectId} key={projectId} />
    </main>
  );
}
