import type { ComponentChildren, JSX } from "preact";

interface ChartPartProps extends Omit<JSX.IntrinsicElements["button"], "label"> {
  /** Its place for the arrow keys: "row,column". */
  at: string;
  /** Everything that it shows, in words. */
  label: string;
  /** Absent where there is nothing behind it. */
  onPick?: () => void;
  children?: ComponentChildren;
}

/** A bar, a cell or a row of a chart: a button where it can be picked, else an image with a name. */
export function ChartPart({ at, label, onPick, children, ...rest }: ChartPartProps) {
  if (onPick !== undefined) {
    return (
      <button
        type="button"
        {...rest}
        class={`part ${rest.class ?? ""}`}
        tabIndex={-1}
        data-at={at}
        aria-label={label}
        onClick={onPick}
      >
        {children}
      </button>
    );
  }
  const { onPointerMove, onPointerLeave, style } = rest as JSX.IntrinsicElements["div"];
  return (
    <div
      role="img"
      aria-label={label}
      class={`part still ${rest.class ?? ""}`}
      style={style}
      onPointerMove={onPointerMove}
      onPointerLeave={onPointerLeave}
    >
      {children}
    </div>
  );
}
