import { TerminalError } from "./errors.ts";

/**
 * The time of a request by its header `X-Weir-Now`, epoch milliseconds; null without it. Throws TerminalError `test_clock`
 * when it is no ISO 8601 time, and where the setting `WEIR_TEST_CLOCK` does not allow it.
 */
export function testClockMs(headers: Headers, isAllowed: boolean): number | null {
  const header = headers.get("x-weir-now");
  if (header === null) return null;
  if (!isAllowed) throw new TerminalError("test_clock", "X-Weir-Now is accepted with WEIR_TEST_CLOCK=1 only.");
  // A time without a zone would be read in the server's zone.
  const isZoned = /(Z|[+-]\d{2}:?\d{2})$/i.test(header) || /^\d{4}-\d{2}-\d{2}$/.test(header);
  const nowMs = Date.parse(isZoned ? header : `${header}Z`);
  if (Number.isNaN(nowMs)) throw new TerminalError("test_clock", "X-Weir-Now must be an ISO 8601 time.");
  return nowMs;
}
