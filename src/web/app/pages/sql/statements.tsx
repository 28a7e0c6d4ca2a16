import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { QueryNode } from "../../api/node.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";

interface StatementsDialogProps {
  projectId: number;
  node: QueryNode;
  /** The query as it was understood. */
  hogql: string | undefined;
  onClose(): void;
}

/** What a query became: HogQL as it was understood, and the statements that were run, with what they read. */
export function StatementsDialog({ projectId, node, hogql, onClose }: StatementsDialogProps) {
  const { lines, error } = useStatements(projectId, node);
  const text = (lines ?? []).join("\n");
  return (
    <Dialog
      title="Statements"
      look="wide"
      onClose={onClose}
      footer={lines !== undefined && <CopyButton text={text} label="Copy the statements" />}
    >
      {hogql !== undefined && (
        <>
          <h3>As it was understood</h3>
          <Code text={hogql} label="HogQL" />
        </>
      )}
      <h3>What was run</h3>
      {error !== undefined && <Problem error={error} />}
      {lines === undefined && error === undefined && <Skeleton heightPx={160} />}
      {lines !== undefined && <Code text={text} label="Statements" />}
    </Dialog>
  );
}

function Code({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="sql-text" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}

/** Asks the question again, with the wish that it tells its statements. */
function useStatements(projectId: number, node: QueryNode) {
  const [state, setState] = useState<{ lines?: readonly string[]; error?: unknown }>({});
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    const params = { project_id: String(projectId) };
    const body = { query: { ...node, explain: true }, refresh: "blocking" } as never;
    call("POST /api/environments/{project_id}/query/", { params, body, signal }).then(
      (answer) => setState({ lines: (answer as { explain?: string[] }).explain ?? [] }),
      (error: unknown) => !signal.aborted && setState({ error }),
    );
    return () => control.abort();
  }, []);
  return state;
}
