import { useState } from "preact/hooks";
import { messageOf } from "../../ui/notice.tsx";
import { toast } from "../../ui/toast.tsx";

/** Sends what is to be saved, and says so where that fails: null then. `again`: what a click on "Try again" does. */
export function useSaving() {
  const [isSaving, setSaving] = useState(false);
  const send = async <T>(ask: () => Promise<T>, again?: () => void): Promise<T | null> => {
    setSaving(true);
    try {
      return await ask();
    } catch (error) {
      const action = again && { label: "Try again", onSelect: again };
      toast(`Saving failed: ${messageOf(error)} Nothing is lost.`, { isProblem: true, action });
      return null;
    } finally {
      setSaving(false);
    }
  };
  return { isSaving, send };
}
