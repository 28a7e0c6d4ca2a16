export type { Format, Part, Point, Series } from "./parts/types.ts";
