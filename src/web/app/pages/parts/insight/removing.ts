import { invalidate } from "../../../api/cache.ts";
import { insightsKey } from "../../../api/keys.ts";
import { told } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";
import { changeInsight } from "./insightApi.ts";

/** Deletes an insight and offers to take that back; false: it failed. */
export function removeInsight(projectId: number, insight: { id: number; name: string | null }): Promise<boolean> {
  const set = async (deleted: boolean) => {
    await changeInsight(projectId, insight.id, { deleted });
    invalidate(insightsKey(projectId));
  };
  const undo = () => told(() => set(false).then(() => toast("It is back")));
  return told(async () => {
    await set(true);
    const text = insight.name ? `“${insight.name}” is deleted` : "The insight is deleted";
    toast(text, { action: { label: "Undo", onSelect: () => void undo() } });
  });
}
