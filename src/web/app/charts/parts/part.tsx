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

/**
 * A bar, a cell or a row of a chart: a button where it can be picked, else an image with a name. What is written in it is in
 * its label, too, in an order that can be read aloud.
 */
export function ChartPart({ at, label, onPick, children, ...rest }: ChartPartProps) {
  if (onPick !== undefined) {
    return (
      <button type="button" {...rest} class={`part ${rest.class ?? ""}`} tabIndex={-1} data-at={at} onClick={onPick}>
        <Spoken label={label}>{children}</Spoken>
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

/** The content of a button whose name is another text than what is written in it. */
export function Spoken({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <>
      <span class="unseen">{label}</span>
      <span class="part-inside" aria-hidden="true">
        {children}
      </span>
    </>
  );
}
