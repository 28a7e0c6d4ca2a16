import type { Series } from "../parts/types.ts";

/** A place of a chart, and the series that is chosen there; -1: no series has a value. */
export interface At {
  index: number;
  series: number;
}

/** Where a key leads to from a place of a chart; undefined for keys that mean nothing to it. Without a place it starts at the end. */
export function moveByKey(
  key: string,
  at: At | null,
  { series, shown, places }: { series: readonly Series[]; shown: readonly number[]; places: number },
): At | undefined {
  if (places === 0) return undefined;
  const last = places - 1;
  const from = at?.index ?? null;
  const placed = (index: number): At => ({ index, series: seriesAt(index, at?.series ?? -1) });
  const seriesAt = (index: number, wanted: number): number => {
    const present = shown.filter((one) => (series[one]!.values[index] ?? null) !== null);
    return present.includes(wanted) ? wanted : (present[0] ?? -1);
  };
  const page = Math.max(1, Math.round(places / 10));
  switch (key) {
    case "ArrowRight":
      return placed(from === null ? last : Math.min(last, from + 1));
    case "ArrowLeft":
      return placed(from === null ? last : Math.max(0, from - 1));
    case "PageDown":
      return placed(from === null ? last : Math.min(last, from + page));
    case "PageUp":
      return placed(from === null ? last : Math.max(0, from - page));
    case "Home":
      return placed(0);
    case "End":
      return placed(last);
    case "ArrowUp":
    case "ArrowDown": {
      if (at === null) return placed(last);
      const numberOf = (one: number) => series[one]!.values[at.index] ?? null;
      const ranked = shown.filter((one) => numberOf(one) !== null).sort((a, b) => numberOf(b)! - numberOf(a)!);
      const rank = ranked.indexOf(at.series) + (key === "ArrowUp" ? -1 : 1);
      return { index: at.index, series: ranked[Math.max(0, Math.min(ranked.length - 1, rank))] ?? -1 };
    }
    default:
      return undefined;
  }
}
