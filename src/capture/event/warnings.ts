import { type IngestionWarning, type JsonObject, warningKey } from "../../types/mod.ts";
import { cutUnits } from "./text.ts";

const DETAIL_MAX_UNITS = 200;

/** The ingestion warnings of one request: equal ones are one with a count, and the number of kept ones is bounded. */
export class Warnings {
  /** By type, then by key. */
  private readonly kinds = new Map<string, Map<string, IngestionWarning>>();

  constructor(private readonly max: number) {}

  /** Texts are cut; those that are missing are left out. `count`: of equal warnings at once. */
  add(type: string, details: Record<string, string | null>, count = 1): void {
    const kind = this.kinds.getOrInsertComputed(type, () => new Map());
    const key = warningKey(details);
    const equal = kind.get(key);
    if (equal !== undefined) equal.count = (equal.count ?? 1) + count;
    else if (kind.size < this.max) {
      const warning: IngestionWarning = { type, details: shortened(details) };
      if (count > 1) warning.count = count;
      kind.set(key, warning);
    }
  }

  /**
   * One of each type before the second of any, so that none hides another; within that, types that are causes of drops
   * (keys of `dropped`) come first, then overflow, then hints.
   */
  list(dropped: object): IngestionWarning[] {
    const rank = (type: string) => (Object.hasOwn(dropped, type) ? 0 : type === "overflow" ? 1 : 2);
    const kinds = [...this.kinds].sort(([a], [b]) => rank(a) - rank(b)).map(([, kind]) => [...kind.values()]);
    const list: IngestionWarning[] = [];
    for (let round = 0; round < this.max && list.length < this.max; round++) {
      list.push(...kinds.flatMap((kind) => kind.slice(round, round + 1)));
    }
    return list.slice(0, this.max);
  }
}

function shortened(details: Record<string, string | null>): JsonObject {
  const short: JsonObject = {};
  for (const [key, text] of Object.entries(details)) {
    if (text !== null && text !== "") short[key] = cutUnits(text, DETAIL_MAX_UNITS);
  }
  return short;
}
