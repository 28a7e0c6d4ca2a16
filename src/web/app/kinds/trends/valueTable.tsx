import type { Format } from "../../charts/types.ts";
import { formatPercent } from "../../format/number.ts";
import type { Value } from "./parts.ts";

interface ValueTableProps {
  values: readonly Value[];
  format: Format;
  onPick?(index: number): void;
}

/** Names and their numbers, as a chart. */
export function ValueTable({ values, format, onPick }: ValueTableProps) {
  const hasPrevious = values.some(({ previous }) => previous !== null && previous !== undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="table-scroll" aria-label="Values" tabIndex={0}>
      <table class="value-table">
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col">Value</th>
            {hasPrevious && <th scope="col">Before</th>}
            {hasPrevious && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {values.map(({ key, label, value, previous }, index) => (
            <tr key={key}>
              <th scope="row" dir="auto" title={label}>
                {label}
              </th>
              <td>
                {onPick === undefined ? (
                  format(value)
                ) : (
                  <button
                    type="button"
                    class="link"
                    aria-label={`${label}: ${format(value)}, show people`}
                    onClick={() => onPick(index)}
                  >
                    {format(value)}
                  </button>
                )}
              </td>
              {hasPrevious && <td>{previous === null || previous === undefined ? "" : format(previous)}</td>}
              {hasPrevious && <td>{changeOf(value, previous)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function changeOf(value: number, previous: number | null | undefined): string {
  if (previous === null || previous === undefined || previous === 0) return "";
  const change = (value - previous) / Math.abs(previous);
  return `${change > 0 ? "+" : ""}${formatPercent(change)}`;
}
