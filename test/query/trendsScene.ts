import type { Json } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { trends } from "./support.ts";

export const at = (day: number, hour = 12) => Date.UTC(2020, 0, day, hour);
export const NOW = at(4, 13);

export const node = (event: string | null, more: { [key: string]: Json } = {}) => ({
  kind: "EventsNode",
  event,
  ...more,
});

/** A lake of a few sign-ups, and what trends of its last days answer. */
export async function openTrendsScene() {
  const lake = await MemoryLake.open([
    { event: "sign up", distinctId: "a", timestampMs: at(1), properties: { v: 1, s: "x", $session_id: "s1" } },
    { event: "sign up", distinctId: "a", timestampMs: at(1, 23), properties: { v: 2, s: "y" } },
    { event: "sign up", distinctId: "b", timestampMs: at(2), properties: { v: "3", s: null } },
    { event: "sign up", distinctId: "a", timestampMs: at(3, 0), properties: { v: "no number", s: "" } },
    { event: "other", distinctId: "c", timestampMs: at(3), properties: { v: 10 } },
  ]);
  const ask = (query: { [key: string]: Json }) =>
    trends(lake, { dateRange: { date_from: "-3d" }, ...query }, { nowMs: NOW });
  return { lake, ask };
}
