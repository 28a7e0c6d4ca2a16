import { useRef, useState } from "preact/hooks";
import { entityLabel, letterOf, moved, withAlternative } from "./entities.ts";
import { AddEvent } from "./eventPicker.tsx";
import { useReorder } from "./reorder.ts";
import { type SeriesForm, SeriesRow } from "./seriesRow.tsx";
import type { EntityNode } from "./types.ts";

interface SeriesListProps extends SeriesForm {
  series: readonly EntityNode[];
  onChange(series: readonly EntityNode[]): void;
  max: number;
  addLabel: string;
  /** How few there must be: 1 where absent. */
  min?: number;
}

/** Series or steps: pick, filter, rename, duplicate, order (by keyboard, too), take away, add. */
export function SeriesList(props: SeriesListProps) {
  const { projectId, series, onChange, marks, max, min = 1, addLabel } = props;
  const keys = useKeys(series.length);
  const [said, setSaid] = useState("");
  const mark = (index: number) => (marks === "letters" ? letterOf(index) : String(index + 1));
  const move = (from: number, to: number) => {
    if (to < 0 || to >= series.length) return;
    keys.move(from, to);
    setSaid(`${entityLabel(series[from]!)} is now ${mark(to)} of ${series.length}`);
    onChange(moved(series, from, to));
  };
  const order = useReorder(move);
  const set = (index: number, entity: EntityNode) => onChange(series.with(index, entity));
  return (
    <div class="series">
      <ol class="series-list" {...order.list}>
        {series.map((entity, index) => (
          <li key={keys.all[index]} data-place class={order.dragged === index ? "series-item dragged" : "series-item"}>
            <SeriesRow
              {...props}
              entity={entity}
              mark={mark(index)}
              handle={series.length > 1 ? order.handle(index) : null}
              onSet={(next) => set(index, next)}
              onCombine={(picked) => set(index, withAlternative(entity, picked))}
              onDuplicate={
                series.length < max
                  ? () => {
                      keys.insert(index + 1);
                      onChange(series.toSpliced(index + 1, 0, entity));
                    }
                  : undefined
              }
              onMove={(step) => move(index, index + step)}
              isFirst={index === 0}
              isLast={index === series.length - 1}
              onRemove={
                series.length > min
                  ? () => {
                      keys.remove(index);
                      onChange(series.toSpliced(index, 1));
                    }
                  : undefined
              }
            />
          </li>
        ))}
      </ol>
      {series.length < max && (
        <AddEvent projectId={projectId} label={addLabel} onPick={(picked) => onChange([...series, picked])}>
          {addLabel}
        </AddEvent>
      )}
      <output class="unseen" aria-live="polite">
        {said}
      </output>
    </div>
  );
}

/** Series have no names of their own: keys that go with them when their order changes, so that the focus stays. */
function useKeys(count: number) {
  const state = useRef({ all: [] as number[], last: 0 });
  const { all } = state.current;
  while (all.length < count) all.push(state.current.last++);
  all.length = count;
  return {
    all,
    move(from: number, to: number) {
      state.current.all = moved(all, from, to);
    },
    insert(at: number) {
      all.splice(at, 0, state.current.last++);
    },
    remove(at: number) {
      all.splice(at, 1);
    },
  };
}
