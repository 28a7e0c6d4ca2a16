import { useEffect, useRef, useState } from "preact/hooks";
import type { QueryNode } from "../../api/node.ts";
import { insightName } from "../../format/name.ts";
import { isNarrow } from "../../shell/screen.ts";
import { useTitle } from "../../shell/title.ts";
import { messageOf, Problem } from "../../ui/notice.tsx";
import type { Insight } from "../parts/insight/insightApi.ts";
import { Actions, RunButton } from "./actions.tsx";
import type { SqlEditor } from "./editor.ts";
import { HistoryDialog } from "./historyDialog.tsx";
import { Problems } from "./problems.tsx";
import { Progress } from "./progress.tsx";
import { Results } from "./results.tsx";
import { SaveDialog } from "./saveDialog.tsx";
import { SqlEditorBox } from "./sqlEditor.tsx";
import { sourceOfQuestion } from "./sqlNode.ts";
import { Tables } from "./tables.tsx";
import { useChecked } from "./useChecked.ts";
import { useKnown } from "./useKnown.ts";
import { useQuestion } from "./useQuestion.ts";
import { useRun } from "./useRun.ts";
import { VariableFields } from "./variableFields.tsx";

interface WorkbenchProps {
  projectId: number;
  /** The saved one that is open. */
  insight: Insight | null;
  /** What the address asks. */
  given: QueryNode | null;
}

/** The editor, what was run, and what can be done with it. */
export function Workbench({ projectId, insight, given }: WorkbenchProps) {
  const editor = useRef<SqlEditor>(null);
  const state = useQuestion(projectId, insight, given);
  const { question, change } = state;
  const names = useKnown(projectId);
  const checked = useChecked(projectId, question);
  const running = useRun(projectId);
  const [ran, setRan] = useState<QueryNode | null>(null);
  const [open, setOpen] = useState<"history" | "save" | null>(null);
  const [hasTables, setTables] = useState(!isNarrow.value);
  const name = insight === null ? "SQL" : insightName(insight);
  useTitle(name);
  const run = (isForced = true) => {
    if (question.query.trim() === "") return;
    const node = sourceOfQuestion(question);
    setRan(node);
    state.note();
    running.run(node, isForced);
  };
  useEffect(() => {
    // What is saved is shown with its rows; what stands in an address is run when somebody has read it.
    if (insight !== null && given === null) run(false);
    else if (!isNarrow.value) editor.current?.focus();
  }, []);
  const key = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  };
  const hasText = question.query.trim() !== "";
  const isTold =
    checked?.text === question.query && checked.errors.some(({ message }) => message === wordsOf(running.error));
  return (
    <main class="page sql-page" onKeyDown={key}>
      <div class="page-head">
        <h1 dir="auto">{name}</h1>
        <Actions
          state={state}
          insight={insight}
          hasText={hasText}
          hasTables={hasTables}
          onTables={() => setTables(!hasTables)}
          onHistory={() => setOpen("history")}
          onSaveAs={() => setOpen("save")}
        />
      </div>
      <div class={hasTables ? "sql-desk with-tables" : "sql-desk"}>
        <div class="sql-work">
          <SqlEditorBox
            text={question.query}
            known={names.known}
            checked={checked}
            handle={editor}
            onChange={(query) => change({ query })}
            onRun={() => run()}
          />
          <VariableFields
            query={question.query}
            variables={question.variables}
            onChange={(variables) => change({ variables })}
          />
          <div class="sql-bar">
            <RunButton running={running} hasText={hasText} onRun={() => run()} />
            <Progress running={running} />
          </div>
          <Problems checked={checked} query={question.query} onShow={(from, to) => editor.current?.show(from, to)} />
          {running.error !== undefined && !running.isRunning && !isTold && <Problem error={running.error} />}
        </div>
        {hasTables && <Tables names={names} onInsert={(text) => editor.current?.insert(text)} />}
      </div>
      <Results
        projectId={projectId}
        running={running}
        node={ran}
        name={name}
        chart={question.chart}
        onChart={(chart) => change({ chart })}
      />
      {open === "history" && (
        <HistoryDialog
          projectId={projectId}
          onPick={(query) => {
            change({ query });
            setOpen(null);
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {open === "save" && (
        <SaveDialog
          name={insight === null ? "" : `${insight.name || name} (copy)`}
          onSave={state.saveAsNew}
          onClose={() => setOpen(null)}
        />
      )}
    </main>
  );
}

const wordsOf = (error: unknown): string | null => (error === undefined ? null : messageOf(error));
