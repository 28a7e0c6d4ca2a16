import type { Format } from "../../charts/types.ts";
import { formatChange } from "../../format/number.ts";
import type { Line } from "./lines.ts";
import type { Value } from "./parts.ts";

interface ValueTableProps {
  values: readonly Value[];
  format: Format;
  onPickLine?(line: Line): void;
}

/** Names and their numbers, as a chart. */
export function ValueTable({ values, format, onPickLine }: ValueTableProps) {
  const hasBefore = values.some(({ before }) => before !== undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="table-scroll" aria-label="Values" tabIndex={0}>
      <table class="value-table">
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col">Value</th>
            {hasBefore && <th scope="col">Before</th>}
            {hasBefore && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {values.map(({ key, label, value, previous, line, before }) => (
            <tr key={key}>
              <th scope="row" dir="auto" title={label}>
                {label}
              </th>
              <td>
                <Figure value={value} label={label} format={format} onPick={onPickLine && (() => onPickLine(line))} />
              </td>
              {hasBefore && (
                <td>
                  {before !== undefined && (
                    <Figure
                      value={previous ?? 0}
                      label={`${label}, before`}
                      format={format}
                      onPick={onPickLine && (() => onPickLine(before))}
                    />
                  )}
                </td>
              )}
              {hasBefore && <td>{typeof previous === "number" ? formatChange(value, previous) : ""}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface FigureProps {
  value: number;
  label: string;
  format: Format;
  onPick?(): void;
}

function Figure({ value, label, format, onPick }: FigureProps) {
  if (onPick === undefined) return <>{format(value)}</>;
  return (
    <button type="button" class="link" aria-label={`${label}: ${format(value)}`} onClick={onPick}>
      {format(value)}
    </button>
  );
}
