const OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * Places of a time axis as answers have them as short texts: days and times of the project's clock ("2026-11-20",
 * "2026-11-20 14:00:00"), or instants, which the zone counts for.
 */
export function axisOf(places: readonly string[], interval: string | undefined, zone = "UTC"): string[] {
  const hasYears = new Set(places.map((place) => place.slice(0, 4))).size > 1;
  return places.map((place) => {
    const isInstant = place.length > 10 && OFFSET.test(place);
    const text = place.replace(" ", "T");
    const date = new Date(isInstant ? text : `${text}${text.length <= 10 ? "T00:00:00" : ""}Z`);
    if (Number.isNaN(date.getTime())) return place;
    const timeZone = isInstant ? zone : "UTC";
    return new Intl.DateTimeFormat("en-GB", { timeZone, ...partsOf(interval ?? "day", hasYears) }).format(date);
  });
}

function partsOf(interval: string, hasYears: boolean): Intl.DateTimeFormatOptions {
  const year = hasYears ? ({ year: "numeric" } as const) : {};
  switch (interval) {
    case "year":
      return { year: "numeric" };
    case "month":
      return { month: "short", ...year };
    case "day":
    case "week":
      return { day: "numeric", month: "short", ...year };
    default:
      return { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
  }
}
