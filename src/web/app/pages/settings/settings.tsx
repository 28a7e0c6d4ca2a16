import { useEnvironment } from "../../session/environment.ts";
import { may, mayBeyond } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../parts/form/section.tsx";
import { SettingsTabs } from "../parts/form/settingsTabs.tsx";
import { Snippets } from "../parts/start/snippet.tsx";
import { DeleteProject } from "./deleteProject.tsx";
import { HomeForm } from "./homeForm.tsx";
import { Members } from "./members/members.tsx";
import { PersonalKeys } from "./personalKeys.tsx";
import { ProjectForm } from "./projectForm.tsx";
import { ProjectKey } from "./projectKey.tsx";
import { TestAccounts } from "./testAccounts.tsx";

/** What is set for a project, its key, and the user's keys. */
export function SettingsPage({ project = "" }: { project?: string }) {
  const { data, error, retry } = useEnvironment(Number(project));
  return (
    <main class="page">
      <div class="page-head">
        <h1>Settings</h1>
        <SettingsTabs projectId={Number(project)} />
        <a class="button" href="/account">
          Your account
        </a>
      </div>
      {data === undefined && error !== undefined && <Problem error={error} onRetry={retry} />}
      {data === undefined && error === undefined && <Skeleton heightPx={320} />}
      {data !== undefined && (
        <>
          <Section title="Project" about="Insights count days in this time zone, and weeks from this day.">
            <ProjectForm key={data.id} environment={data} />
          </Section>
          {may("project:write") && (
            <Section title="Home" about="What everyone of this project sees first.">
              <div class="form">
                <HomeForm environment={data} />
              </div>
            </Section>
          )}
          <Section
            title="Test accounts"
            about="Events of your own team, and of tests. Insights that exclude test accounts count only what passes all of these filters."
          >
            <TestAccounts key={data.id} environment={data} />
          </Section>
          <Section
            title="Project key"
            about="It sends events, and can read nothing. It may be seen by everyone who visits your site."
          >
            <ProjectKey environment={data} />
          </Section>
          <Section title="Send events" about="PostHog's SDKs work unchanged; only the address differs.">
            <Snippets apiKey={data.api_token} />
          </Section>
        </>
      )}
      {mayBeyond("organization_member:read") && (
        <Section
          title="Members"
          about={
            <>
              Everyone who may log in here. What members may see or edit is said under{" "}
              <a href={hrefOf(Number(project), "access")}>Access</a>, and by each insight and dashboard.
            </>
          }
        >
          <Members />
        </Section>
      )}
      {mayBeyond("*") && (
        <Section title="Personal keys" about="For programs that ask the API in your name. Treat them like a password.">
          <PersonalKeys />
        </Section>
      )}
      {data?.user_access_level === "admin" && may("project:write") && (
        <Section title="Delete the project" about="With all that is in it.">
          <DeleteProject environment={data} />
        </Section>
      )}
    </main>
  );
}
