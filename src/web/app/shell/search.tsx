import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useData } from "../api/cache.ts";
import { call } from "../api/client.ts";
import { boardName, insightName } from "../format/name.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useLater } from "../ui/later.ts";
import type { Option, OptionGroup } from "../ui/listbox.tsx";
import { SearchList } from "../ui/searchList.tsx";
import { ENTRIES, hrefOf } from "./entries.ts";

const PAUSE_MS = 120;
const SHOWN = 20;

/** Leads to any page, insight or dashboard of the project by a part of its name. */
export function SearchDialog({ projectId, onClose }: { projectId: number; onClose(): void }) {
  const { route } = useLocation();
  const [text, setText] = useState("");
  const asked = useLater(text, PAUSE_MS);
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
        label: boardName(name),
        icon: "dashboard",
      })),
    },
    {
      label: "Insights",
      options: insights.results.map(({ short_id, ...names }) => ({
        key: `insights/${short_id}`,
        value: hrefOf(projectId, `insights/${short_id}`),
        label: insightName(names),
        icon: "insights",
      })),
    },
  ];
}
