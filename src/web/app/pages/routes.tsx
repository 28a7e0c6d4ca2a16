import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { lazy, Route, Router, useLocation } from "preact-iso";
import { exec } from "preact-iso/router";
import { SearchDialog } from "../palette/search.tsx";
import { loadUser, mayHaveSession, user } from "../session/session.ts";
import { Boundary, Broken } from "../shell/boundary.tsx";
import { Frame } from "../shell/frame.tsx";
import { NoProject } from "../shell/projects.tsx";
import { loadChunk } from "../ui/chunk.ts";
import { moreStyles } from "../ui/moreStyles.ts";
import { Empty, Problem } from "../ui/notice.tsx";

// A page is a folder and two lines here. Pages are loaded when they are opened.
const LoginPage = morePage(() => import("./login/login.tsx").then((file) => file.LoginPage));
const SetupPage = morePage(() => import("./setup/setup.tsx").then((file) => file.SetupPage));
const InvitePage = morePage(() => import("./invite/invite.tsx").then((file) => file.InvitePage));
const AccountPage = morePage(() => import("./account/account.tsx").then((file) => file.AccountPage));
const loadHome = () => import("./home/home.tsx");
const HomePage = page(() => loadHome().then((file) => file.HomePage));
const StartPage = morePage(() => import("./start/start.tsx").then((file) => file.StartPage));
const SettingsPage = morePage(() => import("./settings/settings.tsx").then((file) => file.SettingsPage));
const AccessPage = morePage(() => import("./access/access.tsx").then((file) => file.AccessPage));
const ImportsPage = morePage(() => import("./imports/imports.tsx").then((file) => file.ImportsPage));
const ExportsPage = morePage(() => import("./exports/exports.tsx").then((file) => file.ExportsPage));
const HealthPage = morePage(() => import("./health/health.tsx").then((file) => file.HealthPage));
const loadDefinitions = () => import("./definitions/definitions.tsx");
const loadDefinition = () => import("./definitions/definition.tsx");
const DashboardsPage = page(() => import("./dashboards/dashboards.tsx").then((file) => file.DashboardsPage));
const DashboardPage = page(() => import("./dashboard/dashboard.tsx").then((file) => file.DashboardPage));
const SharedPage = page(() => import("./shared/shared.tsx").then((file) => file.SharedPage));
const EmbeddedPage = page(() => import("./shared/shared.tsx").then((file) => file.EmbeddedPage));
const AlertsPage = morePage(() => import("./alerts/alerts.tsx").then((file) => file.AlertsPage));
const InsightsPage = morePage(() => import("./insights/insights.tsx").then((file) => file.InsightsPage));
const PersonsPage = morePage(() => import("./persons/persons.tsx").then((file) => file.PersonsPage));
const PersonPage = morePage(() => import("./person/person.tsx").then((file) => file.PersonPage));
const CohortsPage = morePage(() => import("./persons/cohorts.tsx").then((file) => file.CohortsPage));
const CohortPage = morePage(() => import("./cohort/cohort.tsx").then((file) => file.CohortPage));
const ActionsPage = morePage(() => import("./definitions/actions.tsx").then((file) => file.ActionsPage));
const ActionPage = morePage(() => import("./action/action.tsx").then((file) => file.ActionPage));
const GroupsPage = morePage(() => import("./persons/groups.tsx").then((file) => file.GroupsPage));
const GroupPage = morePage(() => import("./group/group.tsx").then((file) => file.GroupPage));
const EventsPage = morePage(() => import("./events/events.tsx").then((file) => file.EventsPage));
const EventPage = morePage(() => import("./event/event.tsx").then((file) => file.EventPage));
const EventDefinitionsPage = morePage(() => loadDefinitions().then((file) => file.EventDefinitionsPage));
const PropertyDefinitionsPage = morePage(() => loadDefinitions().then((file) => file.PropertyDefinitionsPage));
const EventDefinitionPage = morePage(() => loadDefinition().then((file) => file.EventDefinitionPage));
const PropertyDefinitionPage = morePage(() => loadDefinition().then((file) => file.PropertyDefinitionPage));
const ActivityPage = morePage(() => import("./activity/activity.tsx").then((file) => file.ActivityPage));
const InsightPage = page(() => import("./insight/insight.tsx").then((file) => file.InsightPage));
const AnnotationsPage = morePage(() => import("./definitions/annotations.tsx").then((file) => file.AnnotationsPage));
const SqlPage = morePage(() => import("./sql/sql.tsx").then((file) => file.SqlPage));

/** Pages of a project, by what follows the project in their address. */
const OF_PROJECT = [
  ["alerts", AlertsPage],
  ["insights", InsightsPage],
  ["insights/:shortId/:mode?", InsightPage],
  ["sql", SqlPage],
  ["persons", PersonsPage],
  ["persons/:uuid", PersonPage],
  ["person/:distinctId?", PersonPage],
  ["cohorts", CohortsPage],
  ["cohorts/:cohort", CohortPage],
  ["data-management/actions", ActionsPage],
  ["data-management/actions/:action", ActionPage],
  ["groups/:index", GroupsPage],
  ["groups/:index/:groupKey", GroupPage],
  ["group", GroupPage],
  ["events", EventsPage],
  ["events/:uuid/:at?", EventPage],
  ["data-management/events", EventDefinitionsPage],
  ["data-management/events/:definition", EventDefinitionPage],
  ["data-management/annotations", AnnotationsPage],
  ["data-management/properties", PropertyDefinitionsPage],
  ["data-management/properties/:definition", PropertyDefinitionPage],
  ["activity-logs", ActivityPage],
  ["start", StartPage],
  ["settings", SettingsPage],
  ["access", AccessPage],
  ["imports/:id?", ImportsPage],
  ["exports/:id?", ExportsPage],
  ["health", HealthPage],
  ["dashboard", DashboardsPage],
  ["dashboard/:dashboard", DashboardPage],
] as const;

/** Begins to load the page of an address, beside the question who the user is. */
export function warm(path: string): void {
  const [, page] = OF_PROJECT.find(([rest]) => exec(path, `/project/:project/${rest}`) !== undefined) ?? [];
  void page?.preload();
  const project = /^\/project\/(\d+)\/home\/?$/.exec(path)?.[1];
  if (project === undefined) return;
  void HomePage.preload();
  if (mayHaveSession()) loadHome().then(({ warmHome }) => warmHome(Number(project)), ignored);
}

/** Where it cannot be loaded the page itself says so. */
const ignored = () => {};

/** All pages by their addresses, which are PostHog's where it has them. */
export function Pages() {
  const { path } = useLocation();
  const project = /^\/project\/(\d+)(?:\/|$)/.exec(path)?.[1];
  if (project !== undefined) return <Project id={Number(project)} />;
  return (
    <Boundary place={path}>
      <Router>
        <Route path="/login" component={LoginPage} />
        <Route path="/setup/:token" component={SetupPage} />
        <Route path="/invite/:token" component={InvitePage} />
        <Route path="/shared/:token" component={SharedPage} />
        <Route path="/embedded/:token" component={EmbeddedPage} />
        <Route path="/account" component={Account} />
        <Route path="/" component={First} />
        <Route path="/project" component={First} />
        <Route default component={Missing} />
      </Router>
    </Boundary>
  );
}

/** Pages of a project; they need a session. */
function Project({ id }: { id: number }) {
  return (
    <LoggedIn>
      <Frame projectId={id} Search={SearchDialog}>
        <Router>
          <Route path="/project/:project" component={First} />
          <Route path="/project/:project/home" component={Home} />
          {OF_PROJECT.map(([rest, Page]) => (
            <Route key={rest} path={`/project/:project/${rest}`} component={Page} />
          ))}
          <Route default component={Missing} />
        </Router>
      </Frame>
    </LoggedIn>
  );
}

/** What a project begins with: how to send events, until there is one. */
function Home({ project = "" }: { project?: string }) {
  const team = user.value?.organization.teams.find(({ id }) => id === Number(project));
  return team?.ingested_event === false ? <StartPage project={project} /> : <HomePage project={project} />;
}

/** The page of the user, with the project around it that was open last. */
function Account() {
  const project = user.value?.team?.id;
  return (
    <LoggedIn>
      {project === undefined ? (
        <AccountPage />
      ) : (
        <Frame projectId={project} Search={SearchDialog}>
          <AccountPage />
        </Frame>
      )}
    </LoggedIn>
  );
}

/** Leads to the project of the address, or to the one that was open last. */
function First({ project: given }: { project?: string }) {
  const { route } = useLocation();
  const project = given ?? user.value?.team?.id;
  useEffect(() => {
    if (project !== undefined) route(`/project/${project}/home`, true);
    // Once: while the next page is loaded this one is still there, and the address is another.
  }, [project]);
  return <LoggedIn>{project === undefined ? <NoProject /> : null}</LoggedIn>;
}

/** Shows what needs a session, or leads to the login and back. */
function LoggedIn({ children }: { children: ComponentChildren }) {
  const { route } = useLocation();
  const [problem, setProblem] = useState<unknown>();
  const known = user.value;
  useEffect(() => {
    if (known === undefined) loadUser().catch(setProblem);
    if (known === null) {
      const { pathname, search, hash } = window.location;
      route(`/login?next=${encodeURIComponent(pathname + search + hash)}`, true);
    }
    // Once, as above.
  }, [known]);
  if (problem !== undefined && !known) {
    return (
      <main class="page">
        <h1 class="unseen">Weir</h1>
        <Problem error={problem} onRetry={() => window.location.reload()} />
      </main>
    );
  }
  return known ? children : null;
}

function Missing() {
  return (
    <main class="page">
      <Empty isPage title="There is no such page">
        <a class="button" href="/">
          Go home
        </a>
      </Empty>
    </main>
  );
}

/** A page whose styles are not among those that every visit begins with. */
// biome-ignore lint/suspicious/noExplicitAny: as for `page`
function morePage(load: () => Promise<ComponentType<any>>) {
  return page(async () => (await Promise.all([load(), moreStyles()]))[0]);
}

/** A page that is loaded when it is opened; where that fails it says so. */
// biome-ignore lint/suspicious/noExplicitAny: each page takes what stands in its address
function page(load: () => Promise<ComponentType<any>>) {
  return lazy(() => loadChunk(load).catch((error: unknown) => () => <Broken error={error} />));
}
