import { useState } from "preact/hooks";
import type { SearchProps } from "../shell/frame.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { later } from "../ui/later.tsx";
import type { PaletteProps } from "./palette.tsx";

const Palette = later(() => import("./palette.tsx").then((file) => file.Palette), Typed);

/** The palette. It opens at once and keeps what is typed while its script is loaded, the first time. */
export function SearchDialog(props: SearchProps) {
  const [text, setText] = useState("");
  return (
    <Dialog title="Go to" onClose={props.onClose}>
      <div class="palette">
        <Palette {...props} text={text} onText={setText} />
      </div>
    </Dialog>
  );
}

function Typed({ text, onText }: PaletteProps) {
  return (
    <input class="input" aria-label="Search" value={text} onInput={(event) => onText(event.currentTarget.value)} />
  );
}
