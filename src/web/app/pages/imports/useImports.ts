import { invalidate } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";

const EVERY_MS = 2_000;
const SHOWN = 200;

const keyOf = (projectId: number): string => `imports/${projectId}/`;

/** The newest imports of a project; they renew themselves. */
export const useImports = (projectId: number) =>
  useLive(
    `${keyOf(projectId)}list`,
    () => {
      const params = { project_id: String(projectId) };
      return call("GET /api/environments/{project_id}/imports/", { params, query: { limit: SHOWN } });
    },
    EVERY_MS,
  );

/** One of them. */
export const useImport = (projectId: number, id: string) =>
  useLive(
    `${keyOf(projectId)}${id}`,
    () => call("GET /api/environments/{project_id}/imports/{id}/", { params: { project_id: String(projectId), id } }),
    EVERY_MS,
  );

export const reloadImports = (projectId: number): void => invalidate(keyOf(projectId));
