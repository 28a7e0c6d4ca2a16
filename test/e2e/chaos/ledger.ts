export interface SentEvent {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: Record<string, unknown> & { serial: number };
}

/** What the clients know of their events. */
export class Ledger {
  /** Answered with 200: uuid to event. */
  readonly accepted = new Map<string, SentEvent>();
  /** Sent, and never answered with 200. */
  readonly unanswered = new Set<string>();
  /** Events in requests that were answered with 200, copies included: at least so many are accepted. */
  answeredEvents = 0;
  /** Events in all requests that were tried: at most so many are accepted. */
  triedEvents = 0;
  requests = 0;
  tries = 0;

  onTry(events: readonly SentEvent[]): void {
    this.tries++;
    this.triedEvents += events.length;
    for (const { uuid } of events) if (!this.accepted.has(uuid)) this.unanswered.add(uuid);
  }

  onAnswered(events: readonly SentEvent[]): void {
    this.requests++;
    this.answeredEvents += events.length;
    for (const event of events) {
      this.accepted.set(event.uuid, event);
      this.unanswered.delete(event.uuid);
    }
  }
}
