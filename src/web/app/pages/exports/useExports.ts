import { invalidate } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";

const EVERY_MS = 2_000;
const SHOWN = 200;

const keyOf = (projectId: number): string => `exports/${projectId}/`;
const paramsOf = (projectId: number) => ({ project_id: String(projectId) });

/** The exports of a project, with their last runs; they renew themselves. */
export const useExports = (projectId: number) =>
  useLive(
    `${keyOf(projectId)}list`,
    () => {
      const params = paramsOf(projectId);
      return call("GET /api/environments/{project_id}/batch_exports/", { params, query: { limit: SHOWN } });
    },
    EVERY_MS,
  );

/** One of them. */
export const useExport = (projectId: number, id: string) =>
  useLive(
    `${keyOf(projectId)}${id}`,
    () => call("GET /api/environments/{project_id}/batch_exports/{id}/", { params: { ...paramsOf(projectId), id } }),
    EVERY_MS,
  );

/** Its newest runs, at most a hundred. `after`: from when on, as "-7d". */
export const useRuns = (projectId: number, id: string, after: string) =>
  useLive(
    `${keyOf(projectId)}${id}/runs/${after}`,
    () => {
      const params = { ...paramsOf(projectId), id };
      return call("GET /api/environments/{project_id}/batch_exports/{id}/runs/", { params, query: { after } });
    },
    EVERY_MS,
  );

/** Its newest backfills, at most fifty. */
export const useBackfills = (projectId: number, id: string) =>
  useLive(
    `${keyOf(projectId)}${id}/backfills`,
    () => {
      const params = { ...paramsOf(projectId), id };
      return call("GET /api/environments/{project_id}/batch_exports/{id}/backfills/", { params });
    },
    EVERY_MS,
  );

/** What a run had to say, the newest first. */
export const useRunLogs = (projectId: number, id: string, runId: string) =>
  useLive(
    `${keyOf(projectId)}${id}/logs/${runId}`,
    () => {
      const params = { ...paramsOf(projectId), id, run_id: runId };
      const route = "GET /api/environments/{project_id}/batch_exports/{id}/runs/{run_id}/logs/";
      return call(route, { params, query: { limit: SHOWN } });
    },
    EVERY_MS,
  );

export const reloadExports = (projectId: number): void => invalidate(keyOf(projectId));
