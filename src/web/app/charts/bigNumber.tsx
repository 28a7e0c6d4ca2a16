import type { Format } from "./types.ts";

interface BigNumberProps {
  value: number;
  /** That of the period before. */
  previous?: number | null;
  format: Format;
  label: string;
  onPick?(): void;
}

/** One number, and how it changed. */
export function BigNumber(_props: BigNumberProps) {
  return null;
}
