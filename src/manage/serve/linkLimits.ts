import type { Config } from "../../config.ts";
import { networkOf } from "../../types/mod.ts";
import { type Limit, SlidingLog } from "../http/slidingLog.ts";

const MINUTE_MS = 60_000;

/**
 * Limits requests that come with a shared link and without a key: by link and by address, apart from the limits of keys. Routes
 * that may be asked more often are counted apart, too.
 */
export class LinkLimits {
  private readonly log = new SlidingLog();

  constructor(private readonly config: Pick<Config, "sharedLinkRate" | "sharedAddressRate">) {}

  /** Throws ApiError 429 with `Retry-After`. `address`: null where it is not known; `times`: of the limits. */
  check(token: string, address: string | null, nowMs: number, times = 1): void {
    const { sharedLinkRate, sharedAddressRate } = this.config;
    const check = (name: string, rate: number) => {
      if (rate > 0) this.log.check(`${times} ${name}`, perMinute(rate * times), nowMs);
    };
    if (address !== null) check(`address ${networkOf(address)}`, sharedAddressRate);
    check(`link ${token}`, sharedLinkRate);
  }
}

const perMinute = (count: number): Limit[] => [{ count, windowMs: MINUTE_MS }];
