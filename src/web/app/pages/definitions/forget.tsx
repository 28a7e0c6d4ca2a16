import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { toast } from "../../ui/toast.tsx";
import { type Definition, forget } from "./load.ts";

/** Takes a name out of the lists, until it arrives again. */
export function Forget({
  projectId,
  definition,
  onDone,
}: {
  projectId: number;
  definition: Definition;
  onDone(): void;
}) {
  const [isOpen, setOpen] = useState(false);
  const what = definition.subject.kind === "event" ? "event" : "property";
  return (
    <>
      <p>
        <Button look="danger" icon="trash" onClick={() => setOpen(true)}>
          Forget this {what}
        </Button>
      </p>
      {isOpen && (
        <Confirm
          title={`Forget this ${what}?`}
          action="Forget"
          isDangerous
          onClose={() => setOpen(false)}
          onConfirm={async () => {
            await forget(projectId, definition);
            toast(`The ${what} is forgotten`);
            onDone();
          }}
        >
          <p>
            Its description, tags and {what === "property" ? "type" : "mark"} are lost. Events stay as they are, and so
            do insights that name it. It is in the list again when it arrives again.
          </p>
        </Confirm>
      )}
    </>
  );
}
