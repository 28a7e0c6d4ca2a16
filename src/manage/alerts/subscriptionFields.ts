import { addressesIn } from "../../alerts/mod.ts";
import { FREQUENCIES, SUBSCRIPTION_TARGETS } from "../../metadata/mod.ts";
import { list } from "../http/compound.ts";
import { boolean, choice, FieldError, integer, mapped, nullable, text } from "../http/fields.ts";
import { time } from "../http/time.ts";

/** As the API names them; 1 is Monday. */
export const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

const TITLE_MAX = 100;
const TARGET_MAX = 4_000;
const INTERVAL_MAX = 366;
const POSITIONS = { min: -1, max: 5 };
const COUNT_MAX = 10_000;

/** All that a client may set of a subscription. */
export const SUBSCRIPTION_FIELDS = {
  insight: nullable(integer({ min: 1 })),
  dashboard: nullable(integer({ min: 1 })),
  title: nullable(text({ maxLength: TITLE_MAX, blank: true })),
  target_type: choice(SUBSCRIPTION_TARGETS),
  target_value: text({ maxLength: TARGET_MAX }),
  frequency: choice(FREQUENCIES),
  interval: integer({ min: 1, max: INTERVAL_MAX }),
  byweekday: nullable(
    mapped(list(choice(WEEKDAYS), { maxItems: WEEKDAYS.length }), (days) =>
      days.length === 0 ? null : [...new Set(days.map((day) => WEEKDAYS.indexOf(day) + 1))],
    ),
  ),
  bysetpos: nullable(integer(POSITIONS)),
  count: nullable(integer({ min: 1, max: COUNT_MAX })),
  start_date: time(),
  until_date: nullable(time()),
  deleted: boolean(),
  new_webhook_secret: boolean(),
};

const ADDRESSES_MAX = 50;
const ADDRESS = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+$/;

/** A list of addresses of e-mail with commas, in its usual form. Throws FieldError. */
export function checkedAddresses(value: string): string {
  const addresses = addressesIn(value);
  const wrong = addresses.find((address) => !ADDRESS.test(address));
  if (wrong !== undefined || addresses.length === 0) {
    throw new FieldError("invalid_input", `"${wrong ?? value}" is not an address of e-mail.`);
  }
  if (addresses.length > ADDRESSES_MAX) {
    throw new FieldError("invalid_input", `A subscription has at most ${ADDRESSES_MAX} addresses.`);
  }
  return addresses.join(",");
}
