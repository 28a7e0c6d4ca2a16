import type { ComponentChildren } from "preact";
import { Button } from "../../../ui/button.tsx";

interface SaveRowProps {
  /** What the button says that saves. */
  label: string;
  isReady: boolean;
  isBusy: boolean;
  /** There is something to take back. */
  isChanged: boolean;
  onDiscard(): void;
  children?: ComponentChildren;
}

/** The end of the form of a record: saves what was changed, or takes it back. */
export function SaveRow({ label, isReady, isBusy, isChanged, onDiscard, children }: SaveRowProps) {
  return (
    <p class="row">
      <Button look="primary" type="submit" isBusy={isBusy} disabled={!isReady}>
        {label}
      </Button>
      {isChanged && (
        <>
          <Button look="quiet" onClick={onDiscard}>
            Discard changes
          </Button>
          <span class="pale">Unsaved changes are kept in this browser.</span>
        </>
      )}
      {children}
    </p>
  );
}
