import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Drill } from "../../../kinds/kind.ts";
import { later } from "../../../ui/later.tsx";
import { Grid } from "./grid.tsx";
import { useHolding } from "./holding.ts";
import { InsightTile } from "./insightTile.tsx";
import type { Box } from "./layout.ts";
import type { BoardModel } from "./model.ts";
import { TextTile } from "./textTile.tsx";
import type { Grips } from "./tileFrame.tsx";

const PeopleDialog = later(() => import("../../../kinds/people/peopleDialog.tsx").then((file) => file.PeopleDialog));

/** The tiles of a board, each of which loads by itself. */
export function BoardTiles({ model, isEditing = false }: { model: BoardModel; isEditing?: boolean }) {
  const [said, setSaid] = useState("");
  const [drill, setDrill] = useState<Drill | null>(null);
  const holding = useHolding({ boxes: model.boxes, onDrop: model.place, announce: setSaid });
  const { held } = holding;
  const latest = useRef(holding);
  latest.current = holding;
  // The same elements while a tile is dragged: nothing is drawn anew but their places.
  const elements = useMemo(() => {
    const gripsOf = (id: number): Grips | undefined =>
      model.mayEdit
        ? {
            grab: (event, grip) => latest.current.grab(event, id, grip),
            key: (event) => latest.current.key(event, id),
            isEditing,
          }
        : undefined;
    const all = new Map<number, ComponentChildren>();
    for (const [id, tile] of model.tiles) {
      const { text, insight } = tile;
      const shared = { model, tile, grips: gripsOf(id) };
      if (text !== null) all.set(id, <TextTile {...shared} text={text} />);
      else if (insight !== null) all.set(id, <InsightTile {...shared} insight={insight} onDrill={setDrill} />);
    }
    return all;
  }, [model, isEditing]);
  useArrivals(model.boxes);
  return (
    <>
      <Grid
        boxes={held?.boxes ?? model.boxes}
        order={model.boxes.map(({ id }) => id)}
        held={held?.id}
        render={(id) => elements.get(id)}
      />
      <output class="unseen" aria-live="assertive">
        {said}
      </output>
      {drill !== null && <PeopleDialog projectId={model.projectId} drill={drill} onClose={() => setDrill(null)} />}
    </>
  );
}

/** Brings a tile into sight that was just added. */
function useArrivals(boxes: readonly Box[]): void {
  const before = useRef<ReadonlySet<number> | null>(null);
  useEffect(() => {
    const ids = new Set(boxes.map(({ id }) => id));
    const added = before.current === null ? [] : boxes.filter(({ id }) => !before.current?.has(id));
    before.current = ids;
    if (added.length === 1) {
      document.querySelector(`[data-tile="${added[0]!.id}"]`)?.scrollIntoView({ block: "nearest" });
    }
  }, [boxes]);
}
