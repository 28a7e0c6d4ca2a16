import { formatNumber } from "../../../format/number.ts";

const MAX_ROWS = 200;

/** The rows of an SQL answer, for tiles whose question has no chart. */
export function AnswerTable({ columns, results }: { columns: readonly unknown[]; results: unknown }) {
  const rows = (Array.isArray(results) ? results : [])
    .slice(0, MAX_ROWS)
    .map((row) => (Array.isArray(row) ? row : [row]));
  const isNumber = columns.map((_, i) => rows.every((row) => row[i] === null || typeof row[i] === "number"));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="answer-table" tabIndex={0} aria-label="Rows">
      <table>
        <thead>
          <tr>
            {columns.map((name, i) => (
              <th key={i} scope="col" dir="auto" class={isNumber[i] ? "number" : undefined}>
                {String(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) => (
            <tr key={r}>
              {columns.map((_, i) => (
                <td key={i} dir="auto" class={isNumber[i] ? "number" : undefined} title={textOf(row[i])}>
                  {textOf(row[i])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return formatNumber(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
