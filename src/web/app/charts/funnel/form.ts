import type { HoverProps } from "../parts/hover.ts";
import type { Format } from "../parts/types.ts";
import type { FunnelPick, FunnelStep } from "./types.ts";

/** What both forms of a funnel take. */
export interface FunnelFormProps {
  steps: readonly FunnelStep[];
  format: Format;
  on(pick: FunnelPick): HoverProps;
  onPick?(pick: FunnelPick): void;
}
