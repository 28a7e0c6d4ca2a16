import { PropertyFilters } from "../../question/propertyFilters.tsx";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.tsx";
import { BoardDates } from "../parts/board/boardDates.tsx";
import { asList, isActive, saved } from "../parts/board/filters.ts";
import type { BoardModel } from "../parts/board/model.ts";

/** Dates and filters over all tiles. They are in the address until somebody saves them for all. */
export function Bar({ model }: { model: BoardModel }) {
  const { filters, own, setOwn } = model;
  const isChanged = Object.keys(own).length > 0;
  const keep = async () => {
    const next = saved(filters);
    const isSaved = await model.change((board) => ({ ...board, filters: next, persisted_filters: next }), {
      filters: next,
    });
    if (!isSaved) return;
    setOwn({});
    toast("These dates and filters are now everybody's");
  };
  return (
    <search class="board-bar" aria-label="Dates and filters of all tiles">
      <BoardDates value={filters} fallback="Dates of each insight" onChange={(dates) => setOwn({ ...own, ...dates })} />
      <div class="board-filters">
        <PropertyFilters
          projectId={model.projectId}
          value={filters.properties ?? []}
          isFlat
          onChange={(value) => setOwn({ ...own, properties: asList(value) })}
        />
      </div>
      {isChanged && (
        <span class="board-own">
          {isActive(filters) ? "Only you see it so" : "Only you see it without filters"}
          {model.mayEdit && (
            <Button look="quiet" onClick={() => void keep()}>
              Save for all
            </Button>
          )}
          <Button look="quiet" onClick={() => setOwn({})}>
            Reset
          </Button>
        </span>
      )}
    </search>
  );
}
