import {
  addDeliveries,
  type Environment,
  endSubscriptionTurn,
  findEnvironment,
  type Insight,
  type NewDelivery,
  type Subscription,
  takeDueSubscription,
  teamsWithDueSubscriptions,
} from "../../metadata/mod.ts";
import { describeError, ProjectTurns, RetryableError } from "../../types/mod.ts";
import {
  type SentInsight,
  type SubscriptionNews,
  subscriptionBody,
  subscriptionLetter,
} from "../message/subscriptionMessage.ts";
import { nextDeliveryMs } from "../schedule/recurrence.ts";
import type { Contents } from "./answering.ts";
import type { CheckParts } from "./checker.ts";
import { CLAIM_MS, whileClaimed } from "./claims.ts";

/** Insights of a dashboard that are sent; the link leads to all. */
const INSIGHTS_MAX = 20;
const RETRY_MS = 60_000;

/** Sends subscriptions that are due, one at a time, projects in turns. */
export class Subscriber {
  private readonly turns = new ProjectTurns();

  constructor(private readonly parts: CheckParts) {}

  /** Sends one; false where none is due. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { db, now } = this.parts;
    const nowMs = now();
    const teamId = this.turns.next(await db.read((tx) => teamsWithDueSubscriptions(tx, nowMs)));
    if (teamId === null) return false;
    const item = await db.write((tx) => takeDueSubscription(tx, teamId, { nowMs, ttlMs: CLAIM_MS }));
    if (item !== null) await whileClaimed(this.parts, "subscriptions", item, () => this.send(item, nowMs, signal));
    return true;
  }

  private async send(item: Subscription, nowMs: number, signal: AbortSignal): Promise<void> {
    const { db, answering, log } = this.parts;
    const { environment, contents } = await db.read(async (tx) => {
      const environment = await findEnvironment(tx, item.teamId);
      return { environment, contents: environment && (await answering.contents(tx, environment, item)) };
    });
    if (environment === null) return;
    const nextDeliveryDateMs = this.nextOf(item, nowMs, environment);
    // What it is about is gone, or closed to its maker: the next time it may be back.
    if (contents === null) {
      await db.write((tx) => endSubscriptionTurn(tx, item, { nextDeliveryDateMs, wasMade: false }));
      return;
    }
    try {
      const news = await this.newsOf(item, environment, contents, nowMs, signal);
      await db.write(async (tx) => {
        if (!(await endSubscriptionTurn(tx, item, { nextDeliveryDateMs, wasMade: true }))) return;
        await addDeliveries(tx, item.teamId, deliveriesOf(item, news), nowMs);
      });
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log(`subscription ${item.id} was not sent: ${describeError(error)}`);
      const again = { nextDeliveryDateMs: nowMs + RETRY_MS, wasMade: false };
      if (!signal.aborted) await db.write((tx) => endSubscriptionTurn(tx, item, again));
    }
  }

  /** What was missed while Weir did not run is sent once. */
  private nextOf(item: Subscription, nowMs: number, { timezone }: Environment): number | null {
    if (item.count !== null && item.deliveriesMade + 1 >= item.count) return null;
    return nextDeliveryMs(item, nowMs, timezone);
  }

  private async newsOf(
    item: Subscription,
    environment: Environment,
    contents: Contents,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<SubscriptionNews> {
    const { answering } = this.parts;
    const insights: SentInsight[] = [];
    for (const insight of contents.insights.slice(0, INSIGHTS_MAX)) {
      const url = answering.link(`/project/${environment.id}/insights/${insight.shortId}`);
      insights.push({ insight, url, ...(await this.sheetOf(item, insight, environment, nowMs, signal)) });
    }
    const url = answering.link(contents.path);
    return { item, environment, kind: contents.kind, name: contents.name, url, insights, atMs: nowMs };
  }

  /** What cannot be answered is said in its place. Throws RetryableError. */
  private async sheetOf(
    { dashboardId }: Subscription,
    insight: Insight,
    environment: Environment,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<Pick<SentInsight, "sheet" | "error">> {
    try {
      const sheet = await this.parts.answering.sheet({ environment, nowMs, signal }, insight, dashboardId);
      return { sheet, error: null };
    } catch (error) {
      if (error instanceof RetryableError || signal.aborted)
        throw new RetryableError("not_answered", describeError(error));
      return { sheet: null, error: describeError(error) };
    }
  }
}

function deliveriesOf(item: Subscription, news: SubscriptionNews): NewDelivery[] {
  const source = { kind: "subscription", sourceId: String(item.id), title: item.title || news.name } as const;
  if (item.targetType === "webhook") {
    const message = subscriptionBody(news);
    return [{ ...source, channel: "webhook", target: item.targetValue, message, secret: item.webhookSecret }];
  }
  const letter = subscriptionLetter(news);
  return addressesIn(item.targetValue).map((target) => ({
    ...source,
    channel: "email",
    target,
    message: letter,
    secret: "",
  }));
}

/** The addresses of e-mail in a list with commas. */
export const addressesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
  ),
];
