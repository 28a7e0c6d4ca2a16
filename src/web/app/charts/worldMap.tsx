import type { Format } from "./types.ts";

interface WorldMapProps {
  /** By ISO 3166 codes of two letters. */
  countries: readonly { code: string; value: number }[];
  format: Format;
  onPick?(index: number): void;
}

/** Countries, darker where there is more. */
export function WorldMap(_props: WorldMapProps) {
  return null;
}
