import { Dates } from "../../question/dates.tsx";
import { PropertyFilters } from "../../question/propertyFilters.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.tsx";
import { asList, isActive, saved } from "../board/filters.ts";
import type { BoardModel } from "../board/model.ts";

/** Dates and filters over all tiles. They are in the address until somebody saves them for all. */
export function Bar({ model }: { model: BoardModel }) {
  const { filters, own, setOwn } = model;
  const { date_from, date_to } = filters;
  const hasDates = (date_from ?? date_to ?? null) !== null;
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
      <span class="board-dates">
        <Dates
          value={hasDates ? { date_from, date_to } : undefined}
          fallback="Dates of each insight"
          onChange={(dates) => setOwn({ ...own, date_from: dates.date_from ?? null, date_to: dates.date_to ?? null })}
        />
        {hasDates && (
          <IconButton
            label="Dates of each insight"
            icon="close"
            onClick={() => setOwn({ ...own, date_from: null, date_to: null })}
          />
        )}
      </span>
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
