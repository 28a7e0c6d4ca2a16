import type { Config } from "../../config.ts";
import { networkOf } from "../../types/mod.ts";
import { type Limit, SlidingLog } from "../http/slidingLog.ts";

const MINUTE_MS = 60_000;
const NAME_MAX_UNITS = 64;

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
    check(`link ${nameOf(token)}`, sharedLinkRate);
  }
}

/** A token as it is in the store: `.json` may stand behind it. What is longer is none, and not remembered whole. */
const nameOf = (token: string): string => token.split(".", 1)[0]!.slice(0, NAME_MAX_UNITS);

const perMinute = (count: number): Limit[] => [{ count, windowMs: MINUTE_MS }];
