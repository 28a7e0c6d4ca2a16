import { toast } from "../../ui/toast.tsx";

/** Puts a text into the clipboard and says so. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied");
  } catch {
    toast("This browser does not let pages copy here. Select the text and copy it.", { isProblem: true });
  }
}
