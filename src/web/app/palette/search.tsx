import { useState } from "preact/hooks";
import type { SearchProps } from "../shell/frame.tsx";
import { useChunk } from "../ui/chunk.ts";
import { Dialog } from "../ui/dialog.tsx";

/** The palette. It opens at once and keeps what is typed while its script is loaded, the first time. */
export function SearchDialog(props: SearchProps) {
  const [text, setText] = useState("");
  const loaded = useChunk(() => import("./palette.tsx"));
  return (
    <Dialog title="Go to" onClose={props.onClose}>
      <div class="palette">
        {loaded === undefined ? (
          <input
            class="input"
            aria-label="Search"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        ) : (
          <loaded.Palette {...props} text={text} onText={setText} />
        )}
      </div>
    </Dialog>
  );
}
