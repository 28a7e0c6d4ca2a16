import type { BoxSize } from "./types.ts";

const GAP_PX = 14;
const EDGE_PX = 8;

/** Where a box stands beside a point: right of it, else left, else above, else below; always within the window. */
export function besidePoint(
  point: { x: number; y: number },
  box: BoxSize,
  window: BoxSize,
): { left: number; top: number } {
  const within = (start: number, size: number, whole: number) =>
    Math.max(EDGE_PX, Math.min(start, whole - size - EDGE_PX));
  const right = point.x + GAP_PX;
  const left = point.x - GAP_PX - box.width;
  const middle = within(point.y - box.height / 2, box.height, window.height);
  if (right + box.width + EDGE_PX <= window.width) return { left: right, top: middle };
  if (left >= EDGE_PX) return { left, top: middle };
  const above = point.y - GAP_PX - box.height;
  const top = above >= EDGE_PX ? above : within(point.y + GAP_PX, box.height, window.height);
  return { left: within(point.x - box.width / 2, box.width, window.width), top };
}
