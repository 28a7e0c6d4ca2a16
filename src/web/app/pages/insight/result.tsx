import { useEffect, useState } from "preact/hooks";
import type { QueryAnswer } from "../../api/node.ts";
import { CoverContext } from "../../charts/parts/cover.ts";
import { formatShort } from "../../format/number.ts";
import { formatRelative } from "../../format/relative.ts";
import { csvOf } from "../../kinds/csv.ts";
import type { AnswerTable, Drill } from "../../kinds/kind.ts";
import { kindOf } from "../../kinds/mod.ts";
import { AnswerRows } from "../../kinds/view/answerRows.tsx";
import { InsightView } from "../../kinds/view/insightView.tsx";
import { rowsOf } from "../../kinds/view/resultRows.tsx";
import type { Asking } from "../../kinds/view/useAnswer.ts";
import { sourceOf } from "../../kinds/wrapping.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { download } from "../../ui/download.ts";
import { derivedName } from "../parts/insight/derivedName.ts";
import { writeFragment } from "../parts/insight/fragment.ts";
import { useNotes } from "../parts/notes/cover.tsx";
import { formsOf } from "./forms.ts";
import { SqlDialog } from "./sqlDialog.tsx";
import type { EditorState } from "./useEditor.ts";

interface ResultProps {
  projectId: number;
  editor: EditorState;
  asking: Asking;
  onDrill(drill: Drill): void;
}

/** The answer: options of the chart, the chart, and its numbers as a table. */
export function Result({ projectId, editor, asking, onDrill }: ResultProps) {
  const { source, insight } = editor;
  const forms = formsOf(source);
  const saved = insight && { id: insight.id, mayEdit: editor.mayEdit, dashboards: insight.dashboards };
  const notes = useNotes({ of: "project", projectId, insight: saved, board: null });
  const { answer, node, error, isLoading } = asking;
  const table = answer === undefined ? null : tableOf(asking, answer);
  return (
    <section class="insight-result" aria-label="Answer">
      <div class="insight-options">
        {forms?.Options !== undefined && <forms.Options projectId={projectId} node={source} onChange={editor.change} />}
      </div>
      <div class="insight-canvas">
        <CoverContext.Provider value={notes}>
          <InsightView
            node={node}
            answer={answer}
            error={error}
            isLoading={isLoading}
            isOld={asking.isOld}
            size="page"
            onDrill={onDrill}
            onRetry={asking.refresh}
          />
        </CoverContext.Provider>
      </div>
      <State asking={asking} />
      {forms?.Below !== undefined && answer !== undefined && sourceOf(node).kind === source.kind && (
        <forms.Below projectId={projectId} node={sourceOf(node)} answer={answer} onDrill={onDrill} />
      )}
      {table !== null && (
        <Numbers
          projectId={projectId}
          editor={editor}
          asking={asking}
          table={table}
          answer={answer!}
          hasRows={forms !== undefined}
        />
      )}
    </section>
  );
}

function tableOf({ node }: Asking, answer: QueryAnswer): AnswerTable | null {
  const source = sourceOf(node);
  const kind = kindOf(source);
  if (kind === undefined) return rowsOf(answer);
  return answer.results === null || answer.results === undefined || kind.isEmpty(answer, source)
    ? null
    : kind.table(source, answer);
}

const AGE_STEP_MS = 15_000;

/** How fresh the answer is, or how far the calculation has come. */
function State({ asking }: { asking: Asking }) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), AGE_STEP_MS);
    return () => clearInterval(timer);
  }, []);
  const { answer, isLoading, isStopped } = asking;
  if (isLoading) return <Running asking={asking} />;
  return (
    <div class="insight-state">
      <span role="status">
        {isStopped && "Stopped. "}
        {answer?.last_refresh
          ? `Calculated ${formatRelative(answer.last_refresh, Math.max(nowMs, Date.parse(answer.last_refresh)))}`
          : ""}
      </span>
      <IconButton label="Calculate again" icon="refresh" onClick={asking.refresh} />
    </div>
  );
}

const SECOND_MS = 1_000;

function Running({ asking: { progress, stop } }: { asking: Asking }) {
  const { rowsRead = null, rowsTotal = null, elapsedMs = 0 } = progress ?? {};
  const share = rowsRead === null || !rowsTotal ? null : Math.min(1, rowsRead / rowsTotal);
  const rows =
    rowsRead === null
      ? ""
      : rowsTotal
        ? `${formatShort(rowsRead)} of ${formatShort(rowsTotal)} rows read`
        : `${formatShort(rowsRead)} rows read`;
  const time = elapsedMs < SECOND_MS ? "" : `${Math.round(elapsedMs / SECOND_MS)} s`;
  return (
    <div class="insight-state running">
      <progress aria-label="Calculating" value={share ?? undefined} max={1} />
      <span>{["Calculating", rows, time].filter((part) => part !== "").join(" · ")}</span>
      <Button look="quiet" icon="close" onClick={stop}>
        Stop
      </Button>
    </div>
  );
}

interface NumbersProps {
  projectId: number;
  editor: EditorState;
  asking: Asking;
  table: AnswerTable;
  answer: QueryAnswer;
  /** The table is not the chart already. */
  hasRows: boolean;
}

function Numbers({ projectId, editor, asking, table, answer, hasRows }: NumbersProps) {
  const [hasSql, setSql] = useState(false);
  const { source } = editor;
  const kind = kindOf(source);
  // Marks and their changes are of the question in the form: while a newer answer comes they rest.
  const isOwn = sourceOf(asking.node) === source;
  const name = editor.labels.name || derivedName(editor.node);
  return (
    <div class="insight-numbers">
      <div class="insight-tools">
        <h2>{hasRows ? "Numbers" : "Rows"}</h2>
        <Button look="quiet" icon="download" onClick={() => download(name, csvOf(table))}>
          CSV
        </Button>
        {source.kind === "HogQLQuery" && (
          <a class="button quiet" href={sqlHref(projectId, editor)}>
            Edit as SQL
          </a>
        )}
        {source.kind !== "HogQLQuery" && typeof answer.hogql === "string" && (
          <Button look="quiet" icon="code" onClick={() => setSql(true)}>
            Show the SQL
          </Button>
        )}
      </div>
      {hasRows && (
        <AnswerRows
          table={table}
          marks={kind?.rows?.(sourceOf(asking.node), answer)}
          onShow={
            isOwn && kind?.show ? (row, isShown) => editor.change(kind.show!(source, answer, row, isShown)) : undefined
          }
        />
      )}
      {hasSql && (
        <SqlDialog projectId={projectId} sql={answer.hogql ?? ""} node={asking.node} onClose={() => setSql(false)} />
      )}
    </div>
  );
}

/** The page on which SQL is changed, with what is asked here. */
function sqlHref(projectId: number, { insight, node, isChanged }: EditorState): string {
  const saved = insight === null ? "" : `?open_insight=${insight.short_id}`;
  return `/project/${projectId}/sql${saved}${insight === null || isChanged ? writeFragment(node) : ""}`;
}
