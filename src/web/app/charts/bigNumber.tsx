import { formatChange } from "../format/number.ts";
import type { Format } from "./parts/types.ts";

interface BigNumberProps {
  value: number;
  /** That of the period before. */
  previous?: number | null;
  format: Format;
  label: string;
  onPick?(): void;
}

/** One number, and how it changed. */
export function BigNumber({ value, previous, format, label, onPick }: BigNumberProps) {
  const text = format(value);
  const style = { "--figures": Math.max(4, text.length) };
  return (
    <div class="big-number">
      {onPick === undefined ? (
        <div class="big-number-value" style={style} role="img" aria-label={`${label}: ${text}`}>
          {text}
        </div>
      ) : (
        <button type="button" class="big-number-value" style={style} aria-label={`${label}: ${text}`} onClick={onPick}>
          {text}
        </button>
      )}
      <bdi class="big-number-label" title={label}>
        {label}
      </bdi>
      {previous !== undefined && previous !== null && <Change value={value} previous={previous} format={format} />}
    </div>
  );
}

/** Whether more is good, nobody knows. */
function Change({ value, previous, format }: { value: number; previous: number; format: Format }) {
  const change = formatChange(value, previous);
  const arrow = value > previous ? "↑" : value < previous ? "↓" : "→";
  return (
    <div class="big-number-change">
      <span aria-hidden="true">{arrow}</span> {change !== null && <strong>{change.replace(/^[+−]/, "")}</strong>} from{" "}
      {format(previous)}
    </div>
  );
}
