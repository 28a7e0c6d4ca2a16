import { type ComponentType, createContext } from "preact";

/** What the places of a chart are the times of. */
export interface Times {
  /** By the clock of the project: "2026-05-01", "2026-05-01 10:00:00". */
  days: readonly string[];
  /** From one place to the next: `day`. */
  interval: string;
  /** Of that clock, IANA. */
  zone: string;
}

/** The plot within its chart, in CSS pixels from the left and the top of the chart. */
export interface PlotFrame {
  left: number;
  top: number;
  width: number;
  height: number;
  leftOf(index: number): number;
}

export interface CoverProps extends Times {
  frame: PlotFrame;
  /** Somebody has pointed at the chart, or reached it by keyboard. */
  isUsed: boolean;
  /** The place at which something was to be added by keyboard, anew with each press; null: none yet. */
  asked: { index: number } | null;
}

/** What a page lays over its charts of time. */
export interface Cover {
  Layer: ComponentType<CoverProps>;
  /** Whether something can be added at a place, by the key A. */
  mayAdd: boolean;
}

/** Of the charts below; null: nothing. */
export const CoverContext = createContext<Cover | null>(null);
