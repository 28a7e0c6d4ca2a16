import type { Config } from "../../config.ts";
import { type Limit, SlidingLog } from "../http/slidingLog.ts";

const MINUTE_MS = 60_000;

/** Limits requests that come with the link to a shared insight and without a key: by link and by address, apart from the limits of keys. */
export class LinkLimits {
  private readonly log = new SlidingLog();
  private readonly ofLink: Limit[];
  private readonly ofAddress: Limit[];

  constructor(config: Pick<Config, "sharedLinkRate" | "sharedAddressRate">) {
    this.ofLink = perMinute(config.sharedLinkRate);
    this.ofAddress = perMinute(config.sharedAddressRate);
  }

  /** Throws ApiError 429 with `Retry-After`. `address`: null where it is not known. */
  check(token: string, address: string | null, nowMs: number): void {
    if (address !== null && this.ofAddress.length > 0) this.log.check(`address ${address}`, this.ofAddress, nowMs);
    if (this.ofLink.length > 0) this.log.check(`link ${token}`, this.ofLink, nowMs);
  }
}

const perMinute = (count: number): Limit[] => (count === 0 ? [] : [{ count, windowMs: MINUTE_MS }]);
