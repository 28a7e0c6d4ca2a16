import type { Known } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";
import type { Installation, Past, Status, Wish } from "./types.ts";

const NOW_MS = 3_000;
const PAST_MS = 15_000;

export const statusKey = (projectId: number): string => `health/${projectId}/status`;

/** The figures of now. */
export function useStatus(projectId: number): Known<Status & { readAtMs: number }> {
  const params = { project_id: String(projectId) };
  const load = async () => {
    const status = await call("GET /api/environments/{project_id}/ingestion_status/", { params });
    return { ...status, readAtMs: Date.now() };
  };
  return useLive(statusKey(projectId), load, NOW_MS);
}

/** The figures of before. */
export function usePast(projectId: number, { step, steps }: Wish): Known<Past> {
  const params = { project_id: String(projectId) };
  // One more: what happened in a step is its difference from the one before.
  const load = () =>
    call("GET /api/environments/{project_id}/ingestion_history/", { params, query: { step, steps: steps + 1 } });
  return useLive(`health/${projectId}/past/${step}/${steps}`, load, PAST_MS);
}

/** The state of the installation, for those who may see it. */
export function useInstallation(): Known<Installation> {
  return useLive("health/installation", () => call("GET /api/installation/status/", {}), NOW_MS);
}
