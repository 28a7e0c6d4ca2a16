import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { Icon, type IconName } from "../ui/icon.tsx";

/** Entries of the sidebar: eight at most. A page that has none is reached from another. */
const ENTRIES: readonly { label: string; icon: IconName; path: string }[] = [
  { label: "Home", icon: "home", path: "home" },
  { label: "Dashboards", icon: "dashboard", path: "dashboard" },
  { label: "Insights", icon: "insights", path: "insights" },
  { label: "Settings", icon: "settings", path: "settings" },
];

/** What stands around every page of a project. */
export function Frame({ projectId, children }: { projectId: number; children: ComponentChildren }) {
  const { path } = useLocation();
  return (
    <div class="frame">
      <nav class="sidebar" aria-label="Pages">
        {ENTRIES.map((entry) => {
          const href = `/project/${projectId}/${entry.path}`;
          return (
            <a key={entry.path} href={href} aria-current={path.startsWith(href) ? "page" : undefined}>
              <Icon name={entry.icon} />
              {entry.label}
            </a>
          );
        })}
      </nav>
      {children}
    </div>
  );
}
