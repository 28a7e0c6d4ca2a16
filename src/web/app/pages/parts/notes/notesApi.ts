import { invalidate } from "../../../api/cache.ts";
import { call, type Options } from "../../../api/client.ts";
import type { Annotation } from "../../../api/schema.ts";
import { told } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";

/** Below it is all that was loaded of the annotations of a project. */
export const notesKey = (projectId: number): string => `annotations/${projectId}/`;

const paramsOf = (projectId: number) => ({ project_id: String(projectId) });

export type NewNote = Options<"POST /api/environments/{project_id}/annotations/">["body"];

/** Makes one, or changes the one with an id. Throws ApiError. */
export async function saveNote(projectId: number, id: number | null, body: NewNote): Promise<void> {
  const params = paramsOf(projectId);
  if (id === null) await call("POST /api/environments/{project_id}/annotations/", { params, body });
  else
    await call("PATCH /api/environments/{project_id}/annotations/{id}/", {
      params: { ...params, id: String(id) },
      body,
    });
  invalidate(notesKey(projectId));
}

/** Deletes one and offers to take that back. */
export function removeNote(projectId: number, { id }: Annotation): Promise<boolean> {
  const set = (deleted: boolean) => saveNote(projectId, id, { deleted });
  const undo = () => told(() => set(false).then(() => toast("It is back")));
  return told(async () => {
    await set(true);
    toast("The annotation is deleted", { action: { label: "Undo", onSelect: () => void undo() } });
  });
}
