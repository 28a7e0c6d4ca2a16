import { networkOf } from "../../types/mod.ts";
import { type Limit, SlidingLog } from "../http/slidingLog.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const perMinuteAndHour = (minute: number, hour: number): Limit[] => [
  { count: minute, windowMs: MINUTE_MS },
  { count: hour, windowMs: HOUR_MS },
];

/** Of one e-mail from one address. */
const BOTH = perMinuteAndHour(5, 20);
/** Of one address, over all e-mails. */
const ADDRESS = perMinuteAndHour(30, 200);
/** Of one e-mail, over all addresses: many of them together cannot guess faster. */
const EMAIL = perMinuteAndHour(20, 100);

/** Who tries a password. */
interface Trier {
  /** Null where it is not known. */
  address: string | null;
  email: string;
}

/** Limits how often passwords are tried, in this process. What it remembers is bounded (see `SlidingLog`). */
export class Tries {
  private readonly ofBoth = new SlidingLog();
  private readonly ofAddress = new SlidingLog();
  private readonly ofEmail = new SlidingLog();

  /** Counts a try, before the password is looked at. Throws ApiError 429 with `Retry-After`; a refused one counts nowhere. */
  check(trier: Trier, nowMs: number): void {
    const { network, email, both } = namesOf(trier);
    const limited = [
      [this.ofBoth, both, BOTH],
      [this.ofAddress, network, ADDRESS],
      [this.ofEmail, email, EMAIL],
    ] as const;
    for (const [log, name, limits] of limited) log.require(name, limits, nowMs);
    for (const [log, name, limits] of limited) log.count(name, limits, nowMs);
  }

  /** The password was right: the user's own mistakes before are forgotten. Those of the address are not. */
  forget(trier: Trier): void {
    const { email, both } = namesOf(trier);
    this.ofBoth.forget(both);
    this.ofEmail.forget(email);
  }
}

function namesOf({ address, email }: Trier) {
  const network = networkOf(address) ?? "unknown";
  const name = email.toLowerCase();
  return { network, email: name, both: `${network} ${name}` };
}
