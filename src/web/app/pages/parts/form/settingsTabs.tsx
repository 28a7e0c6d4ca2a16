import { useLocation } from "preact-iso";
import { hrefOf } from "../../../shell/entries.ts";
import { settingsPages } from "../../../shell/settingsPages.ts";

/** Leads from each page of the settings to the others, those that the user may see. */
export function SettingsTabs({ projectId }: { projectId: number }) {
  const { path } = useLocation();
  return (
    <nav class="settings-tabs" aria-label="Settings">
      {settingsPages().map((page) => {
        const href = hrefOf(projectId, page.path);
        return (
          <a key={page.path} href={href} aria-current={path.startsWith(href) ? "page" : undefined}>
            {page.label}
          </a>
        );
      })}
    </nav>
  );
}
