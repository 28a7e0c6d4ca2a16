import { repeat } from "../types/mod.ts";
import { Dispatcher, type DispatchParts } from "./delivery/dispatcher.ts";
import { Checker, type CheckParts } from "./run/checker.ts";
import { Subscriber } from "./run/subscriber.ts";

export { newWebhookSecret } from "./delivery/signature.ts";
export type { Sheet } from "./message/subscriptionMessage.ts";
export { dateFromOf, TREND_INTERVALS, type TrendInterval } from "./rule/range.ts";
export type { Line } from "./rule/series.ts";
export type { Answering, Asked } from "./run/answering.ts";
export { addressesIn } from "./run/subscriber.ts";
export { nextDeliveryMs } from "./schedule/recurrence.ts";

/** Checks alerts, sends subscriptions, and delivers messages, until the function that is given is called. */
export function startAlerts(parts: CheckParts & DispatchParts): () => Promise<void> {
  const checker = new Checker(parts);
  const subscriber = new Subscriber(parts);
  const dispatcher = new Dispatcher(parts);
  const stops = [checker, subscriber, dispatcher].map((part) => repeat((signal) => part.step(signal), parts.log));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await dispatcher.idle();
  };
}
