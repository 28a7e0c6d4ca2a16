import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { copyText } from "./copyText.ts";

/** The query behind a chart, as HogQL. */
export function SqlDialog({ sql, onClose }: { sql: string; onClose(): void }) {
  return (
    <Dialog
      title="SQL of this insight"
      look="wide"
      onClose={onClose}
      footer={
        <Button look="primary" icon="copy" onClick={() => void copyText(sql)}>
          Copy
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre class="sql-text" tabIndex={0} role="region" aria-label="SQL">
        {broken(sql)}
      </pre>
    </Dialog>
  );
}

/** Long queries come as one line: each clause begins another. */
const broken = (sql: string): string =>
  sql.replace(/ (FROM|WHERE|GROUP BY|ORDER BY|LIMIT|UNION ALL|LEFT JOIN|INNER JOIN|HAVING) /g, "\n$1 ");
