import { useState } from "preact/hooks";
import { formatCount, formatDuration } from "../../format/number.ts";
import { Ago } from "../../ui/ago.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Empty } from "../../ui/notice.tsx";
import { clearHistory, type Ran, readHistory } from "./kept.ts";

interface HistoryDialogProps {
  projectId: number;
  onPick(query: string): void;
  onClose(): void;
}

/** What was run in this browser, to be taken up again. */
export function HistoryDialog({ projectId, onPick, onClose }: HistoryDialogProps) {
  const [all, setAll] = useState(() => readHistory(projectId));
  const [text, setText] = useState("");
  const found = all.filter(({ query }) => query.toLowerCase().includes(text.trim().toLowerCase()));
  const clear = () => {
    clearHistory(projectId);
    setAll([]);
  };
  return (
    <Dialog
      title="History"
      look="side"
      onClose={onClose}
      footer={
        all.length > 0 && (
          <Button look="quiet" icon="trash" onClick={clear}>
            Clear
          </Button>
        )
      }
    >
      <div class="stack">
        <TextField
          label="Find"
          type="search"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          hint="Kept in this browser alone"
        />
        {all.length === 0 && <Empty title="Nothing was run yet" />}
        {all.length > 0 && found.length === 0 && <Empty title="Nothing has this text" />}
        <ul class="sql-history">
          {found.map((ran) => (
            <li key={ran.atMs}>
              <button type="button" onClick={() => onPick(ran.query)}>
                <code>{ran.query}</code>
                <span class="pale">
                  <Ago at={new Date(ran.atMs).toISOString()} /> · {outcome(ran)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

const outcome = ({ rows, tookMs }: Ran): string =>
  rows === null ? "no answer" : `${formatCount(rows, "row")} in ${formatDuration(tookMs / 1000)}`;
