import type { Random } from "../support/random.ts";
import { FAULTS, type Fault, type FaultCounts } from "./faults.ts";

/** Faults that come up by chance wherever they can, with how likely they are where a seed has them. */
const RATES: Partial<Record<Fault, number>> = {
  "delivery dropped": 0.08,
  "delivery duplicated": 0.08,
  "delivery delayed": 0.1,
  "publish lost": 0.1,
  "publish duplicated": 0.1,
  "publish refused": 0.08,
  "acknowledgement lost": 0.1,
  "front killed between a merge and its event": 0.1,
  "disk full": 0.1,
  "object not stored": 0.2,
  "object stored, answer lost": 0.2,
  "object stored late": 0.2,
  "object not read": 0.05,
  "compactor paused past its claim": 0.5,
  "store busy": 0.02,
  "transaction run twice": 0.05,
  "commit unknown, did happen": 0.1,
  "commit unknown, did not happen": 0.1,
  "client sent again": 0.25,
  "client sent again on another lane": 0.1,
  "client gave up": 0.2,
  "outbox delivery failed": 0.2,
  "outbox answer lost": 0.2,
};

/** What goes wrong by chance in one run. */
export class Trouble {
  private readonly rates = new Map<Fault, number>();
  private isHealed = false;

  constructor(
    private readonly random: Random,
    private readonly counts: FaultCounts,
  ) {
    for (const fault of FAULTS) {
      const rate = RATES[fault];
      if (rate !== undefined && random.chance(0.4)) this.rates.set(fault, rate);
    }
  }

  /** Whether it happens here; it counts then. */
  draw(fault: Fault): boolean {
    const happens = this.isDue(fault);
    if (happens) this.note(fault);
    return happens;
  }

  /** Whether it should happen here, if it can. */
  isDue(fault: Fault): boolean {
    const rate = this.rates.get(fault);
    return rate !== undefined && !this.isHealed && this.random.chance(rate);
  }

  /** For what a test plants: it is no fault that the machine must bear. */
  happensRarely(): boolean {
    return !this.isHealed && this.random.chance(0.05);
  }

  note(fault: Fault): void {
    this.counts.add(fault);
  }

  /** From now on nothing goes wrong any more. */
  heal(): void {
    this.isHealed = true;
  }
}
