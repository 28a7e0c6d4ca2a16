import { Button } from "../../ui/button.tsx";
import type { EditorState } from "./useEditor.ts";

/** Says that a saved insight differs from what is saved, and what can be done about it. */
export function Changed({ editor }: { editor: EditorState }) {
  if (editor.insight === null || !editor.isChanged) return null;
  return (
    <div class="insight-changed" role="status">
      <p>
        <strong>Unsaved changes.</strong>{" "}
        {editor.mayEdit ? "Others still see the saved version." : "You may look at this insight, not change it."}
        {!editor.mayEdit && editor.mayMake && " Keep yours as a new one."}
      </p>
      <Button look="quiet" onClick={editor.reset}>
        Reset
      </Button>
      {editor.mayMake && (
        <Button
          look={editor.mayEdit ? "plain" : "primary"}
          onClick={() => void editor.saveAsNew()}
          disabled={editor.isSaving}
        >
          Save as new
        </Button>
      )}
      {editor.mayEdit && (
        <Button look="primary" onClick={() => void editor.save()} isBusy={editor.isSaving}>
          Save
        </Button>
      )}
    </div>
  );
}
