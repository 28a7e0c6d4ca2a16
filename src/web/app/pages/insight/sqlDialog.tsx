import type { QueryNode } from "../../api/node.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { writeFragment } from "../parts/insight/fragment.ts";
import { untruthOf } from "./untruth.ts";

interface SqlDialogProps {
  projectId: number;
  sql: string;
  /** The question whose answer came with that SQL. */
  node: QueryNode;
  onClose(): void;
}

/** The query behind a chart, as HogQL, and the way to go on with it. */
export function SqlDialog({ projectId, sql, node, onClose }: SqlDialogProps) {
  const untruth = untruthOf(node);
  const text = broken(sql);
  const source = { kind: "DataVisualizationNode", source: { kind: "HogQLQuery", query: text } };
  const footer = (
    <>
      <CopyButton text={sql} label="Copy" />
      {untruth === null && (
        <a class="button primary" href={`/project/${projectId}/sql${writeFragment(source)}`}>
          Edit as SQL
        </a>
      )}
    </>
  );
  return (
    <Dialog title="SQL of this insight" look="wide" onClose={onClose} footer={footer}>
      {untruth !== null && (
        <p class="pale">It gives the numbers {untruth}, so it cannot take the place of the insight.</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="sql-text" tabIndex={0} aria-label="SQL">
        <pre>{text}</pre>
      </section>
    </Dialog>
  );
}

/** Long queries come as one line: each clause begins another. Texts in quotes stay as they are. */
const broken = (sql: string): string =>
  sql.replace(
    /'(?:[^'\\]|\\.)*'|`[^`]*`| (FROM|WHERE|GROUP BY|ORDER BY|LIMIT|UNION ALL|LEFT JOIN|INNER JOIN|HAVING) /g,
    (all: string, clause: string | undefined) => (clause === undefined ? all : `\n${clause} `),
  );
