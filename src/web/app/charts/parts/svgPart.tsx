import type { JSX } from "preact";

interface SvgPartProps extends Omit<JSX.IntrinsicElements["path"], "label"> {
  /** Its place for the arrow keys: "row,column". */
  at: string;
  /** Everything that it shows, in words. */
  label: string;
  /** Absent where there is nothing behind it. */
  onPick?: () => void;
}

/** A shape of a chart: a button where it can be picked, else an image with a name. */
export function SvgPart({ at, label, onPick, onFocus, onBlur, ...path }: SvgPartProps) {
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onPick?.();
  };
  const asButton = {
    role: "button" as const,
    tabindex: -1,
    "data-at": at,
    onClick: onPick,
    onKeyDown: key,
    onFocus,
    onBlur,
  };
  return <path {...path} aria-label={label} {...(onPick === undefined ? { role: "img" as const } : asButton)} />;
}
