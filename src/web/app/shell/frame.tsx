import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { openProject } from "../session/openProject.ts";
import { IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { focusPage } from "../ui/focusPage.ts";
import { Icon } from "../ui/icon.tsx";
import { later } from "../ui/later.tsx";
import { Empty } from "../ui/notice.tsx";
import { Boundary } from "./boundary.tsx";
import { ENTRIES, entryAt, hrefOf } from "./entries.ts";
import { ProjectSwitcher, projectsOfUser } from "./projects.tsx";
import { isNarrow } from "./screen.ts";
import { useShortcuts } from "./shortcuts.ts";
import { title, useSectionTitle } from "./title.ts";
import { UserMenu } from "./userMenu.tsx";

const ShortcutsDialog = later(() => import("./shortcutsDialog.tsx").then((file) => file.ShortcutsDialog));
type Opened = "help" | "search" | "menu" | null;

/** What the search over everything is given. */
export interface SearchProps {
  projectId: number;
  onClose(): void;
  openHelp(): void;
}

interface FrameProps {
  projectId: number;
  Search: ComponentType<SearchProps>;
  children: ComponentChildren;
}

/** What stands around every page of a project. */
export function Frame({ projectId, Search, children }: FrameProps) {
  const { path } = useLocation();
  const [opened, open] = useState<Opened>(null);
  const close = () => open(null);
  const isKnown = projectsOfUser().some(({ id }) => id === projectId);
  useShortcuts(projectId, { openHelp: () => open("help"), openSearch: () => open("search") });
  useSectionTitle(entryAt(projectId, path)?.label ?? null);
  // A page that was chosen in the menu takes its place.
  useEffect(() => open((was) => (was === "menu" ? null : was)), [path]);
  useEffect(() => {
    if (isKnown) openProject(projectId);
  }, [projectId, isKnown]);
  const sidebar = <Sidebar projectId={projectId} path={path} open={open} />;
  return (
    <div class="frame">
      <SkipLink />
      {isNarrow.value ? (
        <header class="topbar">
          <IconButton label="Menu" icon="menu" aria-expanded={opened === "menu"} onClick={() => open("menu")} />
          <span class="topbar-title" dir="auto">
            {projectsOfUser().find(({ id }) => id === projectId)?.name}
          </span>
          <IconButton label="Search" icon="search" onClick={() => open("search")} />
        </header>
      ) : (
        <header class="sidebar">{sidebar}</header>
      )}
      <div id="main">
        <Boundary place={path}>{isKnown ? children : <UnknownProject />}</Boundary>
      </div>
      <Announcer />
      {opened === "menu" && isNarrow.value && (
        <Dialog title="Weir" onClose={close} look="drawer">
          <div class="sidebar">{sidebar}</div>
        </Dialog>
      )}
      {opened === "help" && <ShortcutsDialog onClose={close} />}
      {opened === "search" && <Search projectId={projectId} onClose={close} openHelp={() => open("help")} />}
    </div>
  );
}

function Sidebar({ projectId, path, open }: { projectId: number; path: string; open(what: Opened): void }) {
  const current = entryAt(projectId, path);
  return (
    <>
      <ProjectSwitcher projectId={projectId} />
      <nav aria-label="Pages">
        {ENTRIES.map((entry) => (
          <a
            key={entry.path}
            href={hrefOf(projectId, entry.path)}
            class="sidebar-entry"
            aria-current={entry === current ? "page" : undefined}
          >
            <Icon name={entry.icon} />
            {entry.label}
          </a>
        ))}
        <button type="button" class="sidebar-entry" onClick={() => open("search")}>
          <Icon name="search" />
          Search
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: it takes no focus */}
          <kbd aria-hidden="true">/</kbd>
        </button>
      </nav>
      <UserMenu onHelp={() => open("help")} />
    </>
  );
}

/** Leads those that use the keyboard past the sidebar. */
function SkipLink() {
  // Not by the address, whose fragment may be a question.
  const skip = (event: Event) => {
    event.preventDefault();
    focusPage();
  };
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a place of this page
    <a class="skip" href="#main" onClick={skip}>
      Skip to the page
    </a>
  );
}

/** Tells readers of screens that another page has come. */
function Announcer() {
  return (
    <div class="unseen" role="status">
      {title.value}
    </div>
  );
}

function UnknownProject() {
  return (
    <main class="page">
      <Empty isPage title="There is no such project">
        <p>It was deleted, or you have no access to it.</p>
        <a class="button" href="/">
          Go to your project
        </a>
      </Empty>
    </main>
  );
}
