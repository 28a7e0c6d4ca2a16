import { useState } from "preact/hooks";
import type { Drill } from "../../kinds/kind.ts";
import { PeopleDialog } from "../../kinds/people/peopleDialog.tsx";
import { Grid } from "./grid.tsx";
import { useHolding } from "./holding.ts";
import { InsightTile } from "./insightTile.tsx";
import type { BoardModel } from "./model.ts";
import { TextTile } from "./textTile.tsx";
import type { Grips } from "./tileFrame.tsx";

/** The tiles of a board, each of which loads by itself. */
export function BoardTiles({ model, isEditing = false }: { model: BoardModel; isEditing?: boolean }) {
  const [said, setSaid] = useState("");
  const [drill, setDrill] = useState<Drill | null>(null);
  const { held, grab, key } = useHolding({ boxes: model.boxes, onDrop: model.place, announce: setSaid });
  const gripsOf = (id: number): Grips | undefined =>
    model.mayEdit
      ? { grab: (event, grip) => grab(event, id, grip), key: (event) => key(event, id), isEditing }
      : undefined;
  const render = (id: number) => {
    const tile = model.tiles.get(id);
    if (tile === undefined) return null;
    if (tile.text !== null) return <TextTile model={model} tile={tile} text={tile.text} grips={gripsOf(id)} />;
    if (tile.insight === null) return null;
    return <InsightTile model={model} tile={tile} insight={tile.insight} grips={gripsOf(id)} onDrill={setDrill} />;
  };
  return (
    <>
      <Grid
        boxes={held?.boxes ?? model.boxes}
        order={model.boxes.map(({ id }) => id)}
        held={held?.id}
        render={render}
      />
      <output class="unseen" aria-live="assertive">
        {said}
      </output>
      {drill !== null && <PeopleDialog projectId={model.projectId} drill={drill} onClose={() => setDrill(null)} />}
    </>
  );
}
