import { Random } from "../../support/random.ts";
import type { Weir } from "../../support/weir.ts";
import type { Ledger, SentEvent } from "./ledger.ts";
import type { People } from "./people.ts";

const USERS = 6;
const PAUSE_MS = 20;
const HISTORY_BEGINS = Date.UTC(2024, 0, 1);
/** A client that hangs up does so after at most this long. */
const HANG_UP_MAX_MS = 15;
/** Requests that it keeps to send them again later. */
const KEPT = 50;

interface Batch {
  events: SentEvent[];
  historical: boolean;
}

/** The ids that one user comes to have. */
interface User {
  anonymous: string;
  name: string;
  alias: string;
  state: "anonymous" | "identified" | "aliased";
}

/**
 * A sender with ids of its own, one request after the other, each tried until it is answered with 200. What it says of
 * persons follows the model step by step, because nothing of it races.
 */
export class Client {
  private readonly random: Random;
  private readonly users: User[];
  private readonly kept: Batch[] = [];
  private serial = 0;

  constructor(
    private readonly weir: Weir,
    private readonly name: string,
    seed: number,
    private readonly ledger: Ledger,
    private readonly people: People,
  ) {
    this.random = new Random(seed);
    this.users = Array.from({ length: USERS }, (_, i) => {
      const suffix = `${name}-${i}`;
      return { anonymous: `anon-${suffix}`, name: `user-${suffix}`, alias: `alias-${suffix}`, state: "anonymous" };
    });
  }

  async run(isOver: () => boolean, pauseMs = PAUSE_MS): Promise<void> {
    while (!isOver()) {
      await this.request();
      await Bun.sleep(pauseMs);
    }
  }

  private async request(): Promise<void> {
    const dice = this.random.next();
    if (dice < 0.35) return this.send({ events: this.liveEvents(), historical: false });
    if (dice < 0.6) return this.send({ events: this.some(() => this.oldEvent()), historical: true });
    if (dice < 0.75) return this.send({ events: [this.merge()], historical: false });
    if (dice < 0.83) return this.send({ events: [this.groupIdentify()], historical: false });
    if (dice < 0.92) return this.hangUp();
    // A copy: by then it must change nothing.
    if (this.kept.length > 0) await this.deliver(this.random.pick(this.kept));
  }

  private some(make: () => SentEvent): SentEvent[] {
    return Array.from({ length: this.random.int(1, 40) }, make);
  }

  private async send(batch: Batch): Promise<void> {
    await this.deliver(batch);
    this.kept.push(batch);
    if (this.kept.length > KEPT) this.kept.splice(this.random.int(0, KEPT), 1);
  }

  private async deliver({ events, historical }: Batch): Promise<void> {
    await this.weir.deliver(events, { historical, onTry: () => this.ledger.onTry(events) });
    this.ledger.onAnswered(events);
  }

  /** Sends once and does not wait for long; the ids are used for nothing else. */
  private async hangUp(): Promise<void> {
    const id = `lost-${this.name}-${this.serial}`;
    const events = this.some(() => this.event("lost", id));
    this.ledger.onTry(events);
    const signal = AbortSignal.timeout(this.random.int(1, HANG_UP_MAX_MS));
    const answer = await this.weir.post("/batch/", this.weir.batchBody(events), {}, signal).catch(() => null);
    if (answer?.status === 200) this.ledger.onAnswered(events);
  }

  /** What several ids of one person say in one request has no order; so only one of them says the last. */
  private liveEvents(): SentEvent[] {
    const speaker = this.anyId();
    return this.some(() => this.liveEvent(this.anyId(), speaker));
  }

  private liveEvent(id: string, speaker: string): SentEvent {
    const event = this.event("live", id);
    const { serial } = event.properties;
    const dice = this.random.next();
    if (dice < 0.3) {
      const key = id === speaker ? "last" : `temporary_${id}`;
      event.properties.$set = { [key]: serial };
      event.properties.$set_once = { [`first_${id}`]: serial };
      this.people.set(id, key, serial);
      this.people.setOnce(id, `first_${id}`, serial);
    } else if (dice < 0.4) {
      event.properties.$unset = [`temporary_${id}`];
      this.people.unset(id, `temporary_${id}`);
    }
    return event;
  }

  /** Its time grows with its serial, so that the last one sent is the newest too. */
  private oldEvent(): SentEvent {
    const id = this.anyId();
    const event = this.event("old", id);
    const { serial } = event.properties;
    event.timestamp = new Date(HISTORY_BEGINS + serial * 60_000).toISOString();
    if (this.random.next() < 0.3) {
      event.properties.$set = { [`old_${id}`]: serial };
      this.people.set(id, `old_${id}`, serial);
    }
    return event;
  }

  /** The next step of a user's life; of those that have taken all, two become one or fail to. */
  private merge(): SentEvent {
    const user = this.random.pick(this.users);
    if (user.state === "anonymous") {
      user.state = "identified";
      return this.mergeEvent("$identify", user.name, { $anon_distinct_id: user.anonymous });
    }
    if (user.state === "identified") {
      user.state = "aliased";
      return this.mergeEvent("$create_alias", user.name, { alias: user.alias });
    }
    const other = this.random.pick(this.users);
    return this.random.next() < 0.3
      ? this.mergeEvent("$merge_dangerously", user.name, { alias: other.name })
      : this.mergeEvent("$identify", user.name, { $anon_distinct_id: other.name });
  }

  private mergeEvent(name: string, distinctId: string, properties: Record<string, string>): SentEvent {
    const event = this.event(name, distinctId);
    Object.assign(event.properties, properties, { $set: { last: event.properties.serial } });
    const [[key, other]] = Object.entries(properties) as [[string, string]];
    // The same id twice asks for nothing.
    if (other !== distinctId) {
      if (key === "$anon_distinct_id") this.people.identify(other, distinctId);
      else if (name === "$create_alias") this.people.join(distinctId, other);
      else this.people.join(other, distinctId);
    }
    this.people.set(distinctId, "last", event.properties.serial);
    return event;
  }

  private groupIdentify(): SentEvent {
    const user = this.random.pick(this.users);
    const event = this.event("$groupidentify", this.idOf(user));
    const key = `${this.name}-${this.random.int(0, 2)}`;
    const { serial } = event.properties;
    Object.assign(event.properties, { $group_type: "company", $group_key: key, $group_set: { last: serial } });
    this.people.groups.set(key, serial);
    return event;
  }

  private event(event: string, distinctId: string): SentEvent {
    this.serial++;
    if (event !== "lost") this.people.of(distinctId);
    const timestamp = new Date().toISOString();
    return {
      uuid: crypto.randomUUID(),
      event,
      distinct_id: distinctId,
      timestamp,
      properties: { serial: this.serial },
    };
  }

  private anyId(): string {
    return this.idOf(this.random.pick(this.users));
  }

  private idOf(user: User): string {
    const ids = [user.anonymous];
    if (user.state !== "anonymous") ids.push(user.name);
    if (user.state === "aliased") ids.push(user.alias);
    return this.random.pick(ids);
  }
}
