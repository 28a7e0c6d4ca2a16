import { seriesColor } from "../parts/color.ts";
import { Swatch } from "../parts/tip.tsx";
import type { Series } from "../parts/types.ts";
import { nameOf } from "./words.ts";

interface LegendProps {
  series: readonly Series[];
  /** Keys of those that are not shown. */
  hidden: ReadonlySet<string>;
  onToggle(key: string): void;
}

/** The names of all series; a press hides one or shows it again. */
export function Legend({ series, hidden, onToggle }: LegendProps) {
  return (
    <fieldset class="legend">
      <legend class="unseen">Series shown</legend>
      {series.map((one, index) => (
        <button
          key={one.key}
          type="button"
          aria-pressed={!hidden.has(one.key)}
          title={one.label}
          onClick={() => onToggle(one.key)}
        >
          <Swatch color={seriesColor(one.color)} isPale={one.isPrevious} />
          <bdi>{nameOf(series, index)}</bdi>
        </button>
      ))}
    </fieldset>
  );
}
