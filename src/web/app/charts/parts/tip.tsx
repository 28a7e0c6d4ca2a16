import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { besidePoint } from "./beside.ts";

interface TipProps {
  /** A point of the window. */
  x: number;
  y: number;
  children: ComponentChildren;
}

/** A box beside the pointer, above everything, that cannot be pointed at. What it says a part's name says too. */
export function Tip({ x, y, children }: TipProps) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = ref.current;
    if (box === null) return;
    if (!box.matches(":popover-open")) box.showPopover();
    const { width, height } = box.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const { left, top } = besidePoint({ x, y }, { width, height }, { width: clientWidth, height: clientHeight });
    box.style.left = `${Math.round(left)}px`;
    box.style.top = `${Math.round(top)}px`;
  });
  return (
    <div ref={ref} popover="manual" class="tip" aria-hidden="true">
      {children}
    </div>
  );
}

interface TipRow {
  key: string;
  label: string;
  value: string;
  /** CSS. */
  color?: string;
  isPale?: boolean;
  isStrong?: boolean;
}

/** The rows of a tip: swatch, name, value. */
export function TipRows({ title, note, rows, more }: { title: string; note?: string; rows: TipRow[]; more?: string }) {
  return (
    <>
      <div class="tip-title">
        <bdi>{title}</bdi>
        {note !== undefined && <span class="tip-note">{note}</span>}
      </div>
      {rows.map((row) => (
        <div key={row.key} class={row.isStrong ? "tip-row strong" : "tip-row"}>
          {row.color !== undefined && <Swatch color={row.color} isPale={row.isPale} />}
          <bdi class="tip-label">{row.label}</bdi>
          <span class="tip-value">{row.value}</span>
        </div>
      ))}
      {more !== undefined && <div class="tip-note">{more}</div>}
    </>
  );
}

/** The colour of a series beside its name. */
export function Swatch({ color, isPale }: { color: string; isPale?: boolean }) {
  return <span class={isPale ? "swatch pale" : "swatch"} style={{ backgroundColor: color }} />;
}
