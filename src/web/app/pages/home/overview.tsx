import type { ComponentChildren } from "preact";
import { invalidate, useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { boardsKey, insightsKey } from "../../api/keys.ts";
import { boardName, insightName } from "../../format/name.ts";
import { hrefOf } from "../../shell/entries.ts";
import { Ago } from "../../ui/ago.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";

const SHOWN = 8;

/** The dashboards and insights of a project that were changed last. */
export function Overview({ projectId }: { projectId: number }) {
  return (
    <main class="page">
      <div class="page-head">
        <h1>Home</h1>
        <a class="button primary" href={hrefOf(projectId, "insights/new")}>
          <Icon name="plus" />
          New insight
        </a>
      </div>
      <div class="home-lists">
        <Dashboards projectId={projectId} />
        <Insights projectId={projectId} />
      </div>
    </main>
  );
}

function Dashboards({ projectId }: { projectId: number }) {
  const key = `${boardsKey(projectId)}home`;
  const { data, error } = useData(key, () =>
    call("GET /api/environments/{project_id}/dashboards/", {
      params: { project_id: String(projectId) },
      query: { limit: SHOWN },
    }),
  );
  const lines = data?.results.map(({ id, name, pinned, last_modified_at }) => ({
    key: id,
    href: hrefOf(projectId, `dashboard/${id}`),
    icon: pinned ? ("pin" as const) : ("dashboard" as const),
    name: boardName(name),
    at: last_modified_at,
  }));
  return (
    <List
      title="Dashboards"
      all={hrefOf(projectId, "dashboard")}
      lines={lines}
      error={error}
      onRetry={() => invalidate(key)}
    >
      No dashboard yet.
    </List>
  );
}

function Insights({ projectId }: { projectId: number }) {
  const key = `${insightsKey(projectId)}home`;
  const { data, error } = useData(key, () =>
    call("GET /api/environments/{project_id}/insights/", {
      params: { project_id: String(projectId) },
      query: { limit: SHOWN, basic: true, saved: true, order: "-last_modified_at" },
    }),
  );
  const lines = data?.results.map(({ short_id, last_modified_at, ...names }) => ({
    key: short_id,
    href: hrefOf(projectId, `insights/${short_id}`),
    icon: "insights" as const,
    name: insightName(names),
    at: last_modified_at,
  }));
  return (
    <List
      title="Insights"
      all={hrefOf(projectId, "insights")}
      lines={lines}
      error={error}
      onRetry={() => invalidate(key)}
    >
      No insight is saved yet. <a href={hrefOf(projectId, "insights/new")}>Ask the first question</a>
    </List>
  );
}

interface Line {
  key: string | number;
  href: string;
  icon: IconName;
  name: string;
  at: string;
}

interface ListProps {
  title: string;
  all: string;
  /** Undefined while they are on the way. */
  lines: readonly Line[] | undefined;
  error: unknown;
  onRetry(): void;
  /** Said where there are none. */
  children: ComponentChildren;
}

function List({ title, all, lines, error, onRetry, children }: ListProps) {
  return (
    <section class="home-list" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <a href={all}>All</a>
      </header>
      {lines === undefined && error !== undefined && <Problem error={error} onRetry={onRetry} />}
      {lines === undefined && error === undefined && <Skeleton heightPx={200} />}
      {lines?.length === 0 && <p class="quiet">{children}</p>}
      <ul>
        {lines?.map(({ key, href, icon, name, at }) => (
          <li key={key}>
            <a href={href}>
              <Icon name={icon} />
              <span dir="auto" title={name}>
                {name}
              </span>
              <small>
                <Ago at={at} />
              </small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
