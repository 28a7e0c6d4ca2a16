import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/**
 * 69,659 real purchases by 23,544 customers of an online CD shop: the public CDNOW data of Fader and Hardie, dates moved to 2021-2022.
 * One line a purchase: customer id, date YYYYMMDD, number of CDs, amount in dollars.
 */
const FIXTURE = new URL("../fixtures/cdnow.txt.gz", import.meta.url);

export interface PurchaseEvent {
  uuid: string;
  event: "purchase";
  distinct_id: string;
  timestamp: string;
  properties: { quantity: number; amount: number };
}

/** What any correct store answers about the data, taken from the file itself with awk. */
export const CDNOW_FACTS = {
  events: 69_659,
  persons: 23_544,
  amount: 2_500_315.63,
  quantity: 167_881,
  /** Purchases by month, 2021-01 to 2022-06. */
  monthly: [
    8928, 11272, 11598, 3781, 2895, 3054, 2942, 2320, 2296, 2562, 2750, 2504, 2032, 2026, 2793, 1878, 1985, 2043,
  ],
} as const;

/** The data as events. Equal lines are different events: the uuid comes from the line number. */
export function cdnowEvents(): PurchaseEvent[] {
  const lines = gunzipSync(readFileSync(FIXTURE)).toString("ascii").trim().split(/\r?\n/);
  return lines.map((line, index) => {
    const [customer, date, quantity, amount] = line.trim().split(/\s+/) as [string, string, string, string];
    return {
      uuid: `00000000-0000-8000-8000-${(index + 1).toString(16).padStart(12, "0")}`,
      event: "purchase",
      distinct_id: customer,
      timestamp: `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T12:00:00Z`,
      properties: { quantity: Number(quantity), amount: Number(amount) },
    };
  });
}

/** Consecutive slices of at most `size`. */
export function chunked<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
