import { useState } from "preact/hooks";
import { later } from "../../../ui/later.tsx";
import type { MenuItem } from "../../../ui/menu.tsx";
import { nameOfText } from "./markdown.ts";
import { Markdown } from "./markdownView.tsx";
import type { BoardModel } from "./model.ts";
import { duplicateTile, removeTile } from "./tileActions.ts";
import { type Grips, TileFrame } from "./tileFrame.tsx";
import type { Tile, TileText } from "./types.ts";

const TextDialog = later(() => import("./textDialog.tsx").then((file) => file.TextDialog));
const TileDialogs = later(() => import("./tileDialogs.tsx").then((file) => file.TileDialogs));

interface TextTileProps {
  model: BoardModel;
  tile: Tile;
  text: TileText;
  grips?: Grips;
}

/** A text on a board. */
export function TextTile({ model, tile, text, grips }: TextTileProps) {
  const [wish, setWish] = useState<"edit" | "move" | null>(null);
  const close = () => setWish(null);
  const menu: MenuItem[] = model.mayEdit
    ? [
        { label: "Edit", icon: "pencil", onSelect: () => setWish("edit") },
        { label: "Duplicate", icon: "copy", onSelect: () => void duplicateTile(model, tile) },
        { label: "Move to another dashboard", icon: "dashboard", onSelect: () => setWish("move") },
        { label: "Remove", icon: "trash", isDangerous: true, onSelect: () => void removeTile(model, tile) },
      ]
    : [];
  return (
    <div class="tile-place">
      <TileFrame look="text" name={nameOfText(text.body)} menu={menu} grips={grips}>
        <Markdown source={text.body} />
      </TileFrame>
      {wish === "edit" && <TextDialog model={model} tile={tile} onClose={close} />}
      {wish === "move" && <TileDialogs wish="move" model={model} tile={tile} onClose={close} />}
    </div>
  );
}
