import type { IconName } from "../ui/icon.tsx";

export interface Entry {
  label: string;
  icon: IconName;
  /** Below the address of the project. */
  path: string;
  /** Further beginnings of paths of its pages. */
  others?: readonly string[];
  /** Pressed after g, it leads there. */
  key: string;
}

/** Entries of the sidebar: nine at most. A page that has none is reached from another. */
export const ENTRIES: readonly Entry[] = [
  { label: "Home", icon: "home", path: "home", key: "h" },
  { label: "Dashboards", icon: "dashboard", path: "dashboard", key: "d" },
  { label: "Insights", icon: "insights", path: "insights", others: ["alerts"], key: "i" },
  { label: "SQL", icon: "code", path: "sql", key: "q" },
  { label: "Events", icon: "bolt", path: "events", key: "e" },
  { label: "Persons", icon: "people", path: "persons", others: ["person", "groups", "cohorts"], key: "p" },
  { label: "Data", icon: "table", path: "data-management/events", others: ["data-management"], key: "a" },
  { label: "Health", icon: "health", path: "health", key: "w" },
  {
    label: "Settings",
    icon: "settings",
    path: "settings",
    others: ["access", "imports", "exports", "activity-logs"],
    key: "s",
  },
];

/** The address of a page of a project. */
export const hrefOf = (projectId: number, path: string) => `/project/${projectId}/${path}`;

/** The entry that a page belongs to. */
export function entryAt(projectId: number, path: string): Entry | undefined {
  return ENTRIES.find((entry) => {
    return [entry.path, ...(entry.others ?? [])].some((own) => {
      const href = hrefOf(projectId, own);
      return path === href || path.startsWith(`${href}/`);
    });
  });
}
