import type { ComponentChildren } from "preact";
import { OTHERS } from "./others.tsx";
import { TIME } from "./time.tsx";

export type Pick = (...what: unknown[]) => void;

export interface State {
  heightPx?: number;
  widthPx?: number;
  draw(pick: Pick): ComponentChildren;
}

/** Every chart in every state. */
export const GALLERY: readonly { chart: string; states: Record<string, State> }[] = [
  { chart: "time", states: TIME },
  ...OTHERS,
];
