const PAGE = 10;

/** Where a key leads; arrows go round, pages do not. Null: the key does not move. */
export function target(key: string, active: number, count: number): number | null {
  switch (key) {
    case "ArrowDown":
      return active + 1 >= count ? 0 : active + 1;
    case "ArrowUp":
      return active <= 0 ? count - 1 : active - 1;
    case "PageDown":
      return Math.min(active + PAGE, count - 1);
    case "PageUp":
      return Math.max(active - PAGE, 0);
    default:
      return null;
  }
}
