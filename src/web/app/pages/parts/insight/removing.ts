import { invalidate } from "../../../api/cache.ts";
import { messageOf } from "../../../ui/notice.tsx";
import { toast } from "../../../ui/toast.tsx";
import { changeInsight } from "./insightApi.ts";

/** Deletes an insight and offers to take that back; false: it failed. */
export async function removeInsight(projectId: number, insight: { id: number; name: string | null }): Promise<boolean> {
  const set = async (deleted: boolean) => {
    await changeInsight(projectId, insight.id, { deleted });
    invalidate(`insights ${projectId}`);
  };
  const undo = () => set(false).then(() => toast("It is back"), fail);
  const fail = (error: unknown) => {
    toast(messageOf(error), { isProblem: true });
    return false;
  };
  try {
    await set(true);
    const text = insight.name ? `“${insight.name}” is deleted` : "The insight is deleted";
    toast(text, { action: { label: "Undo", onSelect: () => void undo() } });
    return true;
  } catch (error) {
    return fail(error);
  }
}
