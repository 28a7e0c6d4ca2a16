import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { lazy, Route, Router, useLocation } from "preact-iso";
import { loadUser, user } from "../session/session.ts";
import { Frame } from "../shell/frame.tsx";
import { Problem } from "../ui/notice.tsx";
import { LoginPage } from "./login/login.tsx";

// A page is a folder and two lines here. Pages are loaded when they are opened.
const HomePage = lazy(() => import("./home/home.tsx").then((file) => file.HomePage));
const DashboardsPage = lazy(() => import("./dashboards/dashboards.tsx").then((file) => file.DashboardsPage));
const DashboardPage = lazy(() => import("./dashboard/dashboard.tsx").then((file) => file.DashboardPage));
const SharedPage = lazy(() => import("./shared/shared.tsx").then((file) => file.SharedPage));
const EmbeddedPage = lazy(() => import("./shared/shared.tsx").then((file) => file.EmbeddedPage));

/** All pages by their addresses, which are PostHog's where it has them. */
export function Pages() {
  const { path } = useLocation();
  const project = /^\/project\/(\d+)(?:\/|$)/.exec(path)?.[1];
  if (project !== undefined) return <Project id={Number(project)} />;
  return (
    <Router>
      <Route path="/login" component={LoginPage} />
      <Route path="/shared/:token" component={SharedPage} />
      <Route path="/embedded/:token" component={EmbeddedPage} />
      <Route default component={Start} />
    </Router>
  );
}

/** Pages of a project; they need a session. */
function Project({ id }: { id: number }) {
  return (
    <LoggedIn>
      <Frame projectId={id}>
        <Router>
          <Route path="/project/:project/home" component={HomePage} />
          <Route path="/project/:project/dashboard" component={DashboardsPage} />
          <Route path="/project/:project/dashboard/:dashboard" component={DashboardPage} />
          <Route default component={Missing} />
        </Router>
      </Frame>
    </LoggedIn>
  );
}

/** Leads to the project that was open last. */
function Start() {
  const { route } = useLocation();
  const project = user.value?.team?.id;
  useEffect(() => {
    if (project !== undefined) route(`/project/${project}/home`, true);
  }, [project, route]);
  return <LoggedIn>{null}</LoggedIn>;
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
  }, [known, route]);
  if (problem !== undefined) return <Problem error={problem} onRetry={() => window.location.reload()} />;
  return known ? children : null;
}

function Missing() {
  return (
    <div class="page">
      <h1>There is nothing here</h1>
    </div>
  );
}
