import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** The query behind a chart, as HogQL. */
export function SqlDialog({ sql, onClose }: { sql: string; onClose(): void }) {
  return (
    <Dialog title="SQL of this insight" look="wide" onClose={onClose} footer={<CopyButton text={sql} label="Copy" />}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="sql-text" tabIndex={0} aria-label="SQL">
        <pre>{broken(sql)}</pre>
      </section>
    </Dialog>
  );
}

/** Long queries come as one line: each clause begins another. */
const broken = (sql: string): string =>
  sql.replace(/ (FROM|WHERE|GROUP BY|ORDER BY|LIMIT|UNION ALL|LEFT JOIN|INNER JOIN|HAVING) /g, "\n$1 ");
