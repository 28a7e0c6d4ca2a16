import { Button } from "../../ui/button.tsx";
import type { Insight } from "../parts/insight/insightApi.ts";
import type { QuestionState } from "./useQuestion.ts";
import type { Running } from "./useRun.ts";

interface ActionsProps {
  state: QuestionState;
  insight: Insight | null;
  hasText: boolean;
  hasTables: boolean;
  onTables(): void;
  onHistory(): void;
  onSaveAs(): void;
}

/** What can be done with the text as a whole. */
export function Actions({ state, insight, hasText, hasTables, onTables, onHistory, onSaveAs }: ActionsProps) {
  const { isChanged, mayEdit, mayMake } = state;
  return (
    <div class="row">
      <Button look="quiet" icon="table" aria-pressed={hasTables} onClick={onTables}>
        Tables
      </Button>
      <Button look="quiet" icon="refresh" onClick={onHistory}>
        History
      </Button>
      {insight === null && mayMake && (
        <Button disabled={!hasText} onClick={onSaveAs}>
          Save as insight
        </Button>
      )}
      {insight !== null && (
        <>
          <a class="button" href={insightHref(insight)}>
            Insight
          </a>
          {isChanged && (
            <Button look="quiet" onClick={state.reset}>
              Reset
            </Button>
          )}
          {mayMake && (
            <Button disabled={!hasText} onClick={onSaveAs}>
              Save as new
            </Button>
          )}
          {mayEdit && (
            <Button disabled={!isChanged || !hasText} onClick={() => void state.save()}>
              Save
            </Button>
          )}
        </>
      )}
    </div>
  );
}

const insightHref = ({ short_id }: Insight): string =>
  `${window.location.pathname.replace(/\/sql$/, "")}/insights/${short_id}`;

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** Runs what stands in the editor, or ends what runs. */
export function RunButton({ running, hasText, onRun }: { running: Running; hasText: boolean; onRun(): void }) {
  if (running.isRunning) {
    return (
      <Button icon="close" onClick={running.stop}>
        Cancel
      </Button>
    );
  }
  return (
    <Button look="primary" disabled={!hasText} onClick={onRun} title={IS_MAC ? "⌘ Enter" : "Ctrl + Enter"}>
      Run
    </Button>
  );
}
