import type { BreakdownFilter } from "./types.ts";

interface BreakdownsProps {
  projectId: number;
  value: BreakdownFilter | undefined;
  onChange(value: BreakdownFilter | undefined): void;
  max: number;
  events?: readonly string[];
}

/** By which properties the answer is divided, and how many values are shown. */
export function Breakdowns(_props: BreakdownsProps) {
  return null;
}
