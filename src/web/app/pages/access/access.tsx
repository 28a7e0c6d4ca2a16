import { useEnvironment } from "../../session/environment.ts";
import { may, mayBeyond, seesSubjects } from "../../session/rights.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty } from "../../ui/notice.tsx";
import { Section } from "../parts/form/section.tsx";
import { SettingsTabs } from "../parts/form/settingsTabs.tsx";
import { Levels } from "./levels.tsx";
import { Roles } from "./roles.tsx";

/** Roles, and what members and roles may do with the project and all that is in it. */
export function AccessPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  const name = useEnvironment(projectId).data?.name;
  const seesLevels = may("access_control:read") && seesSubjects();
  const seesRoles = mayBeyond("organization:read");
  useTitle("Access");
  return (
    <main class="page">
      <div class="page-head">
        <h1>Access</h1>
        <SettingsTabs projectId={projectId} />
      </div>
      {!seesLevels && !seesRoles && <Empty title="This key may not see roles and levels" />}
      {seesLevels && (
        <section class="section-wide">
          <div class="section-about">
            <h2>Levels</h2>
            <p>
              What may be done in <span dir="auto">{name ?? "this project"}</span>. Single insights and dashboards can
              have levels of their own, in their menus.
            </p>
          </div>
          <Levels key={projectId} projectId={projectId} />
        </section>
      )}
      {seesRoles && (
        <Section
          title="Roles"
          about="Names for some of the members, in all projects. A level that is set for a role is that of all who have it."
        >
          <Roles />
        </Section>
      )}
    </main>
  );
}
