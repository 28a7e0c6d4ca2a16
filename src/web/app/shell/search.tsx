import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useData } from "../api/cache.ts";
import { call } from "../api/client.ts";
import { type Option, type OptionGroup, SearchList } from "../ui/combobox.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ENTRIES, hrefOf } from "./entries.ts";

const PAUSE_MS = 120;
const SHOWN = 20;

/** Leads to any page, insight or dashboard of the project by a part of its name. */
export function SearchDialog({ projectId, onClose }: { projectId: number; onClose(): void }) {
  const { route } = useLocation();
  const [text, setText] = useState("");
  const asked = usePaused(text);
  const found = useData(`search/${projectId}/${asked}`, () => find(projectId, asked));
  const go = ({ value }: Option<string>) => {
    onClose();
    route(value);
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <SearchList
        label="Search pages, insights and dashboards"
        text={text}
        onText={setText}
        groups={[pagesLike(projectId, text), ...(found.data ?? [])]}
        isLoading={found.isLoading || asked !== text}
        onPick={go}
      />
    </Dialog>
  );
}

function pagesLike(projectId: number, text: string): OptionGroup<string> {
  const pages = [...ENTRIES, { label: "New insight", icon: "plus", path: "insights/new" } as const];
  const isLike = (label: string) => label.toLowerCase().includes(text.trim().toLowerCase());
  return {
    label: "Pages",
    options: pages
      .filter(({ label }) => isLike(label))
      .map(({ label, icon, path }) => ({ key: path, value: hrefOf(projectId, path), label, icon })),
  };
}

async function find(projectId: number, text: string): Promise<readonly OptionGroup<string>[]> {
  const params = { project_id: String(projectId) };
  const search = text.trim() || undefined;
  const [insights, dashboards] = await Promise.all([
    call("GET /api/environments/{project_id}/insights/", {
      params,
      query: { basic: true, saved: true, search, limit: SHOWN, order: "-last_modified_at" },
    }),
    call("GET /api/environments/{project_id}/dashboards/", { params, query: { search, limit: SHOWN } }),
  ]);
  return [
    {
      label: "Dashboards",
      options: dashboards.results.map(({ id, name }) => ({
        key: `dashboard/${id}`,
        value: hrefOf(projectId, `dashboard/${id}`),
        label: name || "Untitled",
        icon: "dashboard",
      })),
    },
    {
      label: "Insights",
      options: insights.results.map(({ short_id, name, derived_name }) => ({
        key: `insights/${short_id}`,
        value: hrefOf(projectId, `insights/${short_id}`),
        label: name || derived_name || "Untitled",
        icon: "insights",
      })),
    },
  ];
}

/** A text some time after it last changed. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
