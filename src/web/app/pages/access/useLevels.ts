import { invalidate, useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import type { Subject } from "../parts/access/rows.ts";
import { type Controls, type Thing, UNSET } from "./grid.ts";

const paramsOf = (projectId: number) => ({ project_id: String(projectId) });
const keyOf = (projectId: number): string => `levels/${projectId}`;

/** All levels of a project and of the kinds in it. */
export function useLevels(projectId: number) {
  return useData(keyOf(projectId), async () => {
    const params = paramsOf(projectId);
    const [project, kinds] = await Promise.all([
      call("GET /api/environments/{project_id}/access_controls/", { params }),
      call("GET /api/environments/{project_id}/resource_access_controls/", { params }),
    ]);
    const controls: Controls = [...project.access_controls, ...kinds.access_controls];
    return { controls, mayChange: project.user_can_edit_access_levels };
  });
}

/** Sets a level; `UNSET` takes it back. Throws ApiError. */
export async function setLevel(projectId: number, thing: Thing, subject: Subject, level: string): Promise<void> {
  const params = paramsOf(projectId);
  const wanted = { ...subject, access_level: (level === UNSET ? null : level) as never };
  if (thing === "project") await call("PUT /api/environments/{project_id}/access_controls/", { params, body: wanted });
  else {
    const body = { ...wanted, resource: thing };
    await call("PUT /api/environments/{project_id}/resource_access_controls/", { params, body });
  }
}

export const reloadLevels = (projectId: number): void => invalidate(keyOf(projectId));
