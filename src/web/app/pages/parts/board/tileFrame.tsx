import type { ComponentChildren } from "preact";
import { Icon } from "../../../ui/icon.tsx";
import { Menu, type MenuItem } from "../../../ui/menu.tsx";
import type { Grip } from "./holding.ts";

/** How the grips of a tile are held. */
export interface Grips {
  grab(event: PointerEvent, grip: Grip): void;
  key(event: KeyboardEvent): void;
  /** Whether they are always in sight. */
  isEditing: boolean;
}

interface TileFrameProps {
  /** What the tile is called, for readers of screens. */
  name: string;
  /** Stands at the head. */
  title?: ComponentChildren;
  /** Beside the title: how old it is. */
  aside?: ComponentChildren;
  menu?: readonly MenuItem[];
  grips?: Grips;
  look: "insight" | "text";
  children: ComponentChildren;
}

const EDGES: readonly Exclude<Grip, "move">[] = ["e", "s", "w", "se", "sw"];

/** What is around every tile: its title, its menu, and the grips by which it is moved and resized. */
export function TileFrame({ name, title, aside, menu = [], grips, look, children }: TileFrameProps) {
  return (
    <article class={`board-tile ${look} ${grips?.isEditing ? "editing" : ""}`} aria-label={name}>
      <header class="tile-head">
        {title}
        {aside !== undefined && <span class="tile-aside">{aside}</span>}
        <span class="tile-tools">
          {grips !== undefined && (
            <button
              type="button"
              class="button quiet icon-only tile-grip"
              aria-label={`Move ${name}`}
              title="Drag to move. By keyboard: arrows move, Shift and arrows change the size."
              onPointerDown={(event) => grips.grab(event, "move")}
              onKeyDown={grips.key}
            >
              <Icon name="drag" />
            </button>
          )}
          {menu.length > 0 && <Menu icon="more" label={`More for ${name}`} items={menu} />}
        </span>
      </header>
      <div class="tile-body" tabIndex={look === "text" ? 0 : undefined}>
        {children}
      </div>
      {grips !== undefined &&
        EDGES.map((edge) => (
          <div key={edge} class={`tile-edge ${edge}`} onPointerDown={(event) => grips.grab(event, edge)} />
        ))}
    </article>
  );
}
