import { invalidate } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { boardsKey } from "../../../api/keys.ts";
import { boardName } from "../../../format/name.ts";
import { changeEnvironment } from "../../../session/environment.ts";
import { told } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";
import type { Dashboard } from "./types.ts";

const BOARDS = "POST /api/environments/{project_id}/dashboards/";
const BOARD = "/api/environments/{project_id}/dashboards/{id}/" as const;

/** What a new dashboard begins with. */
export type Template = "DEFAULT_APP" | "FIRST_EVENTS" | null;

/** Makes a dashboard; gives its id. Throws ApiError. */
export async function createBoard(projectId: number, name: string, template: Template): Promise<number> {
  const body = { ...(name !== "" && { name }), ...(template !== null && { use_template: template }) };
  const { id } = await call(BOARDS, { params: { project_id: String(projectId) }, body });
  invalidate(boardsKey(projectId));
  return id;
}

/** Changes members of a dashboard. Throws ApiError. */
async function change(projectId: number, id: number, body: object): Promise<void> {
  await call(`PATCH ${BOARD}`, { params: { project_id: String(projectId), id }, body });
  invalidate(boardsKey(projectId));
}

/** Whether it was deleted; a message offers the way back. */
export async function deleteBoard(projectId: number, { id, name }: Pick<Dashboard, "id" | "name">): Promise<boolean> {
  return told(async () => {
    await change(projectId, id, { deleted: true });
    const undo = () => void told(() => change(projectId, id, { deleted: false }));
    toast(`Deleted “${boardName(name)}”`, { action: { label: "Undo", onSelect: undo } });
  });
}

export async function pinBoard(projectId: number, id: number, pinned: boolean): Promise<void> {
  await told(() => change(projectId, id, { pinned }));
}

/** Makes a dashboard the first that the project shows. */
export async function showOnHome(projectId: number, id: number): Promise<void> {
  await told(async () => {
    await changeEnvironment(projectId, { primary_dashboard: id });
    toast("Home shows this dashboard now");
  });
}

/** Makes a dashboard with the same insights and copies of the texts, each in its place. Gives its id; null where that failed. */
export async function duplicateBoard(projectId: number, id: number): Promise<number | null> {
  let made: number | null = null;
  await told(async () => {
    const params = { project_id: String(projectId) };
    const query = { refresh: "force_cache" };
    const source = await call(`GET ${BOARD}`, { params: { ...params, id }, query });
    const { name, description, tags, persisted_filters: filters } = source;
    const body = { name: `${boardName(name)} (copy)`, description, tags, filters };
    const copy = await call(BOARDS, { params, body });
    const target = { ...params, id: copy.id };
    const wishes: Record<string, unknown>[] = [];
    for (const { insight, text, layouts } of source.tiles) {
      if (text !== null) wishes.push({ text: { body: text.body }, layouts });
      if (insight === null) continue;
      const route = "POST /api/environments/{project_id}/dashboards/{id}/tiles/";
      const tile = await call(route, { params: target, body: { insight: insight.id } });
      wishes.push({ id: tile.id, layouts });
    }
    await call(`PATCH ${BOARD}`, { params: target, query, body: { tiles: wishes } });
    made = copy.id;
    invalidate(boardsKey(projectId));
  });
  return made;
}
