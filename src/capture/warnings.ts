import type { IngestionWarning, JsonObject } from "../types/mod.ts";
import { cutUnits } from "./text.ts";

const DETAIL_MAX_UNITS = 200;

/** The ingestion warnings of one request: the first `max`, so that a bad batch costs no more than a bad event. */
export class Warnings {
  readonly list: IngestionWarning[] = [];

  constructor(private readonly max: number) {}

  /** Texts are cut; those that are missing are left out. */
  add(type: string, details: Record<string, string | null>): void {
    if (this.list.length >= this.max) return;
    const short: JsonObject = {};
    for (const [key, text] of Object.entries(details)) {
      if (text !== null && text !== "") short[key] = cutUnits(text, DETAIL_MAX_UNITS);
    }
    this.list.push({ type, details: short });
  }
}
