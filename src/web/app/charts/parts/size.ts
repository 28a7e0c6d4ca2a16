import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { BoxSize } from "./types.ts";

/** The inner size of an element as it changes; null until it is known. */
export function useSize(ref: RefObject<HTMLElement | null>): BoxSize | null {
  const [size, setSize] = useState<BoxSize | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => {
      const next = { width: Math.floor(element.clientWidth), height: Math.floor(element.clientHeight) };
      setSize((before) => (before?.width === next.width && before.height === next.height ? before : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}

let measuring: CanvasRenderingContext2D | null = null;
const measured = new Map<string, number>();
const KEPT = 5_000;

/** How wide a text is in the pages' font, in CSS pixels. */
export function textWidth(text: string, sizePx: number): number {
  const key = `${sizePx}|${text}`;
  const known = measured.get(key);
  if (known !== undefined) return known;
  measuring ??= document.createElement("canvas").getContext("2d")!;
  measuring.font = `${sizePx}px ${getComputedStyle(document.body).fontFamily}`;
  const { width } = measuring.measureText(text.slice(0, 400));
  if (measured.size > KEPT) measured.clear();
  measured.set(key, width);
  return width;
}
