import { signal } from "@preact/signals";
import { invalidate } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { told } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";

export type What = "cohort" | "action";

/** Under what pickers and lists keep the cohorts or actions of a project. */
const keysOf = (projectId: number, what: What): readonly string[] => [
  `definitions/${projectId}/${what}s`,
  `${what}s/${projectId}/`,
];

/** Grows with each change that was made here: part of the keys of lists that are loaded page by page. */
export const changesOfRecords = signal(0);

/** Loads again what is shown of the cohorts or actions of a project. */
export function recordsChanged(projectId: number, what: What): void {
  changesOfRecords.value++;
  for (const key of keysOf(projectId, what)) invalidate(key);
}

/** Deletes a cohort or an action and offers to take that back; false: it failed. */
export function removeRecord(projectId: number, what: What, { id, name }: { id: number; name: string | null }) {
  const set = async (deleted: boolean) => {
    await call(`PATCH /api/environments/{project_id}/${what}s/{id}/`, {
      params: { project_id: String(projectId), id },
      body: { deleted },
    });
    recordsChanged(projectId, what);
  };
  const undo = () => told(() => set(false).then(() => toast("It is back")));
  return told(async () => {
    await set(true);
    const text = name ? `“${name}” is deleted` : `The ${what} is deleted`;
    toast(text, { action: { label: "Undo", onSelect: () => void undo() } });
  });
}
