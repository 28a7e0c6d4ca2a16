import { isAdmin, may, mayBeyond, type Noun } from "../session/rights.ts";
import { logOut } from "../session/session.ts";
import { setTheme, type Theme } from "../session/theme.ts";
import { ENTRIES, hrefOf } from "../shell/entries.ts";
import { projectsOfUser } from "../shell/projects.tsx";
import { settingsPages } from "../shell/settingsPages.ts";
import type { IconName } from "../ui/icon.tsx";
import { told } from "../ui/task.ts";
import type { Target } from "./target.ts";

/** Further words that people look for a page by. */
const WORDS: Readonly<Record<string, string>> = {
  home: "start overview",
  insights: "charts questions trends funnels retention reports",
  sql: "hogql query",
  events: "live stream feed activity",
  "data-management/events": "event definitions names taxonomy",
  persons: "people users groups",
  health: "status ingestion queue lag warnings dead letters",
  settings: "options preferences configuration",
};

const allowed = (scope: Parameters<typeof may>[0], target: Target): readonly Target[] => (may(scope) ? [target] : []);

/** Pages that the sidebar leads to, and those that other pages lead to. */
export function pages(projectId: number): readonly Target[] {
  const page = (label: string, icon: IconName, path: string, words?: string, hint?: string): Target => ({
    ...{ section: "Pages", key: path, label, icon, words, hint },
    to: path.startsWith("/") ? path : hrefOf(projectId, path),
  });
  return [
    ...ENTRIES.map(({ label, icon, path, key }) => page(label, icon, path, WORDS[path], `g ${key}`)),
    page("Alerts and subscriptions", "bolt", "alerts", "notify threshold e-mail webhook reports"),
    ...settingsPages()
      .filter(({ path }) => path !== "settings")
      .map(({ label, path, words }) => page(label, "settings", path, words)),
    ...allowed("cohort:read", page("Cohorts", "people", "cohorts", "segments lists of persons")),
    ...allowed("property_definition:read", page("Properties", "table", "data-management/properties", "definitions")),
    ...allowed("action:read", page("Actions", "rocket", "data-management/actions", "events under a name clicks")),
    ...allowed("annotation:read", page("Annotations", "pin", "data-management/annotations", "notes releases marks")),
    page("First event", "rocket", "start", "install sdk snippet code javascript"),
    page("Account", "user", "/account", "profile me"),
  ];
}

const THEMES: readonly (readonly [Theme, string, IconName])[] = [
  ["light", "Light theme", "sun"],
  ["dark", "Dark theme", "moon"],
  ["auto", "Theme of the system", "monitor"],
];

/** What can be done from anywhere. */
export function deeds(
  projectId: number,
  { mayMake, openHelp }: { mayMake(noun: Noun): boolean; openHelp(): void },
): readonly Target[] {
  const deed = (label: string, icon: IconName, to: Target["to"], words?: string, hint?: string): Target => ({
    ...{ section: "Do", key: label, label, icon, to, words, hint },
  });
  return [
    deed("New insight", "plus", hrefOf(projectId, "insights/new"), "make create add chart trend funnel question", "n"),
    ...(mayMake("dashboard")
      ? [deed("New dashboard", "plus", hrefOf(projectId, "dashboard?new="), "make create add board")]
      : []),
    ...(mayMake("cohort") ? [deed("New cohort", "plus", hrefOf(projectId, "cohorts/new"), "make create segment")] : []),
    ...(mayMake("action")
      ? [deed("New action", "plus", hrefOf(projectId, "data-management/actions/new"), "make create goal click")]
      : []),
    ...THEMES.map(([theme, label, icon]) => deed(label, icon, () => setTheme(theme), "colours appearance mode")),
    deed("Keyboard shortcuts", "keyboard", openHelp, "keys help", "?"),
    deed("Sign out", "logout", () => void told(logOut), "log out logout leave end session"),
  ];
}

/** Parts of the settings and of the account. */
export function settings(projectId: number): readonly Target[] {
  const part = (title: string, words: string, page = hrefOf(projectId, "settings")): Target => ({
    ...{ section: "Settings", key: title, label: title, words, icon: "settings" },
    to: `${page}#${title.toLowerCase().replaceAll(" ", "-")}`,
  });
  return [
    part("Project", "name time zone timezone week currency"),
    ...(may("project:write") ? [part("Home", "first dashboard")] : []),
    part("Test accounts", "internal users filter exclude"),
    part("Project key", "api token"),
    part("Send events", "sdk snippet install"),
    ...(mayBeyond("organization_member:read") ? [part("Members", "users team invite people roles")] : []),
    ...(mayBeyond("*") ? [part("Personal keys", "api tokens scopes")] : []),
    part("Password", "change", "/account"),
    ...(mayBeyond("*") ? [part("Where you are logged in", "sessions devices browsers", "/account")] : []),
    ...(isAdmin() ? [part("Delete the project", "remove")] : []),
  ];
}

/** The other projects of the user. */
export function projects(projectId: number): readonly Target[] {
  const others = projectsOfUser().filter(({ id }) => id !== projectId);
  return others.map(({ id, name, is_demo }) => ({
    section: "Projects",
    key: String(id),
    label: name,
    icon: "chevronRight",
    hint: is_demo ? "demo" : undefined,
    to: hrefOf(id, "home"),
  }));
}
