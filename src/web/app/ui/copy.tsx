import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";

const SAID_MS = 2_000;

/** Puts a text into the clipboard, and says so. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isDone, setDone] = useState<boolean | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    setDone(await copyText(text));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(null), SAID_MS);
  };
  return (
    <>
      <Button icon={isDone ? "check" : "copy"} onClick={copy}>
        {isDone === false ? "Not copied" : isDone ? "Copied" : label}
      </Button>
      <span class="unseen" role="status">
        {isDone === null ? "" : isDone ? "Copied" : "It could not be copied: select it and copy it by hand"}
      </span>
    </>
  );
}

/** A value to take away, such as a key. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <span class="copy-field">
        <input
          id={id}
          class="input mono"
          readOnly
          value={value}
          onFocus={(event) => event.currentTarget.select()}
          spellcheck={false}
        />
        <CopyButton text={value} />
      </span>
    </div>
  );
}

/** Whether a text came into the clipboard. The way of old days serves pages that came without https. */
async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Not allowed that way.
  }
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  (before?.closest("dialog") ?? document.body).append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isDone;
}
