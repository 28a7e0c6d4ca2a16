import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { makeEditor, type SqlEditor } from "./editor.ts";
import type { Known } from "./known.ts";
import type { Checked } from "./notices.ts";

interface SqlEditorProps {
  text: string;
  known: Known;
  checked: Checked | null;
  /** What can be done with it from outside. */
  handle: RefObject<SqlEditor | null>;
  onChange(text: string): void;
  onRun(): void;
}

/** Where SQL is written. */
export function SqlEditorBox({ text, known, checked, handle, onChange, onRun }: SqlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ known, onChange, onRun });
  latest.current = { known, onChange, onRun };
  useLayoutEffect(() => {
    const editor = makeEditor(host.current!, {
      text,
      label: "SQL",
      onChange: (next) => latest.current.onChange(next),
      onRun: () => latest.current.onRun(),
      known: () => latest.current.known,
    });
    handle.current = editor;
    return () => {
      handle.current = null;
      editor.destroy();
    };
  }, []);
  useLayoutEffect(() => handle.current?.setText(text), [text]);
  useLayoutEffect(() => handle.current?.learn(), [known]);
  useLayoutEffect(() => {
    if (checked !== null) handle.current?.mark(checked);
  }, [checked]);
  return <div ref={host} class="sql-editor" />;
}
