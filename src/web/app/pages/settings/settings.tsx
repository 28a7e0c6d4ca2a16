import { invalidate, useData } from "../../api/cache.ts";
import { type Answer, call } from "../../api/client.ts";
import { CopyField } from "../../ui/copy.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../form/section.tsx";
import { Snippets } from "../start/snippet.tsx";
import { HomeForm } from "./homeForm.tsx";
import { PersonalKeys } from "./personalKeys.tsx";
import { ProjectForm } from "./projectForm.tsx";

export type Environment = Answer<"GET /api/environments/{project_id}/">;

/** What is set for a project, its key, and the user's keys. */
export function SettingsPage({ project = "" }: { project?: string }) {
  const params = { project_id: project };
  const key = `environment/${project}`;
  const { data, error } = useData(key, () => call("GET /api/environments/{project_id}/", { params }));
  return (
    <main class="page">
      <div class="page-head">
        <h1>Settings</h1>
        <a class="button" href="/account">
          Your account
        </a>
      </div>
      {data === undefined && error !== undefined && <Problem error={error} onRetry={() => invalidate(key)} />}
      {data === undefined && error === undefined && <Skeleton heightPx={320} />}
      {data !== undefined && (
        <>
          <Section title="Project" about="Insights count days in this time zone, and weeks from this day.">
            <ProjectForm key={data.id} environment={data} cacheKey={key} />
          </Section>
          <Section title="Home" about="What everyone of this project sees first.">
            <div class="form">
              <HomeForm environment={data} cacheKey={key} />
            </div>
          </Section>
          <Section
            title="Project key"
            about="It sends events, and can read nothing. It may be seen by everyone who visits your site."
          >
            <CopyField label="Project key" value={data.api_token} />
            <CopyField label="Address" value={window.location.origin} />
          </Section>
          <Section title="Send events" about="PostHog's SDKs work unchanged; only the address differs.">
            <Snippets apiKey={data.api_token} />
          </Section>
        </>
      )}
      <Section title="Personal keys" about="For programs that ask the API in your name. Treat them like a password.">
        <PersonalKeys />
      </Section>
    </main>
  );
}
