import { type Delivery, dueDeliveries, endTry, forgetDeliveries, takeDelivery } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import { DAY_MS, describeError, RetryableError } from "../../types/mod.ts";
import { CLAIM_MS, whileClaimed } from "../run/claims.ts";
import { type MailParts, sendMail } from "./mail.ts";
import { sendWebhook, type WebhookParts } from "./webhook.ts";

export interface DispatchParts extends WebhookParts {
  db: Db;
  mail: MailParts;
  log(line: string): void;
}

/** Tries that a process makes at once. */
const TRIES = 16;
/** Those of them for messages that have failed before. */
const FAILING_TRIES = 4;
/** Those of them for one project. */
const PROJECT_TRIES = 4;
/** Heads of queues that a look reads. */
const HEADS = 200;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** A message that could not be delivered for so long is given up. */
const GIVE_UP_MS = 3 * DAY_MS;
/** What was delivered, or given up, is listed for so long. */
const KEEP_MS = 30 * DAY_MS;
const TIDY_MS = 3_600_000;

/** Hands over the messages of the outbox: of each receiver one at a time and in order, of all a few at once. */
export class Dispatcher {
  private readonly inHand = new Map<string, Delivery>();
  private tidiedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: DispatchParts) {}

  /** Begins the tries that are due; true where one was begun. `signal` ends those in hand, which are made again after their claim. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { db, now } = this.parts;
    await this.tidy();
    if (this.inHand.size >= TRIES) return false;
    const heads = await db.read((tx) => dueDeliveries(tx, now(), { limit: HEADS, perProject: PROJECT_TRIES }));
    const chosen = this.choose(heads);
    for (const delivery of chosen) {
      const nowMs = now();
      if (!(await db.write((tx) => takeDelivery(tx, delivery, { nowMs, ttlMs: CLAIM_MS })))) continue;
      this.begin({ ...delivery, epoch: delivery.epoch + 1 }, signal);
    }
    return chosen.length > 0;
  }

  /** Resolves when nothing is in hand. */
  async idle(): Promise<void> {
    while (this.inHand.size > 0) await Bun.sleep(10);
  }

  /** As many as there is room for, within the shares of projects and of what fails. */
  private choose(heads: readonly Delivery[]): Delivery[] {
    const busy = [...this.inHand.values()];
    const chosen: Delivery[] = [];
    for (const head of heads) {
      const all = [...busy, ...chosen];
      if (all.length >= TRIES) break;
      if (all.filter(({ teamId }) => teamId === head.teamId).length >= PROJECT_TRIES) continue;
      if (head.attempts > 0 && all.filter(({ attempts }) => attempts > 0).length >= FAILING_TRIES) continue;
      if (!this.inHand.has(head.id)) chosen.push(head);
    }
    return chosen;
  }

  private begin(delivery: Delivery, signal: AbortSignal): void {
    this.inHand.set(delivery.id, delivery);
    void whileClaimed(this.parts, "deliveries", delivery, () => this.attempt(delivery, signal))
      .catch((error) => this.parts.log(`message ${delivery.id}: ${describeError(error)}`))
      .finally(() => this.inHand.delete(delivery.id));
  }

  private async attempt(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { db, now } = this.parts;
    const error = await this.send(delivery, signal).then(
      () => null,
      (error: unknown) => error,
    );
    // Of a process that is stopped another one makes the try again.
    if (error !== null && signal.aborted) return;
    const nowMs = now();
    if (error === null) {
      await db.write((tx) => endTry(tx, delivery, { state: "delivered", error: null, nowMs, dueAtMs: nowMs }));
      return;
    }
    const isOver = !(error instanceof RetryableError) || nowMs - delivery.createdAtMs >= GIVE_UP_MS;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(delivery.attempts, 20));
    const state = isOver ? "failed" : "waiting";
    await db.write((tx) =>
      endTry(tx, delivery, { state, error: describeError(error), nowMs, dueAtMs: nowMs + pauseMs }),
    );
  }

  private send(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { parts } = this;
    return delivery.channel === "webhook" ? sendWebhook(delivery, parts, signal) : sendMail(delivery, parts.mail);
  }

  private async tidy(): Promise<void> {
    if (performance.now() - this.tidiedAtMs < TIDY_MS) return;
    this.tidiedAtMs = performance.now();
    const { db, now } = this.parts;
    await db.write((tx) => forgetDeliveries(tx, now() - KEEP_MS));
  }
}
