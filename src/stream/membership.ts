import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from "@nats-io/jetstream";
import { describeError, RetryableError, TerminalError, WeirError } from "../types/mod.ts";
import { type Link, unavailable } from "./link/link.ts";
import { removeOne } from "./link/removal.ts";
import { assertConfig, findStream, hasReplicas, makeStream, replicasOf } from "./link/streams.ts";

const STREAM = "WEIR_MEMBERS";
const SUBJECTS = "members.*";
/** A bound that reserves no room, as bytes would. */
const MAX_MEMBERS = 10_000;
const NANOS_PER_MS = 1_000_000;
/** Looks and heartbeats in one lifetime of a lease. */
const BEATS_PER_TTL = 3;
const JOIN_RETRY_MS = 20;
const MEMBER_ID = /^[\w-]{1,64}$/;

/** The members that are alive. A lease is liveness only: the right to commit is the catalog's epoch (protocol rule 7). */
export interface Membership {
  /** Sorted ids, this one included. While the broker is away: as last seen. */
  members(): string[];
  /** No heartbeat was confirmed within the TTL: others take this member for dead. Until it has joined again. */
  readonly isLost: boolean;
  /**
   * How often this process stood still for as long as a lease lasts: others may have taken what was its own, and it could
   * not know. That the broker was away does not count.
   */
  readonly losses: number;
  /** Takes members out whose processes are known to have ended, without waiting for their leases. Throws RetryableError. */
  expel(members: readonly string[]): Promise<void>;
  /** Others see it at their next look. If the broker is away, the lease ends by itself. */
  leave(): Promise<void>;
}

export interface MembershipOptions {
  /** Letters, digits, - and _. New at each start. */
  memberId: string;
  ttlMs: number;
  /** Members have changed, or the own lease was lost or won back. */
  onChange: () => void;
}

/**
 * Joins the members of this broker: one message per member in a stream whose messages expire, written again by each
 * heartbeat. An expiry raises no event, so every heartbeat also lists the members.
 * Throws RetryableError `broker_unavailable`, TerminalError `invalid_member_id`.
 */
export async function joinMembers(link: Link, options: MembershipOptions): Promise<Membership> {
  if (!MEMBER_ID.test(options.memberId)) {
    throw new TerminalError("invalid_member_id", `"${options.memberId}" cannot be the id of a member`);
  }
  await ensureMembersStream(link, options.ttlMs);
  const lease = new Lease(link, options);
  await lease.begin();
  return lease;
}

/** Sorted ids of the members whose lease is running; none before the first has joined. */
export async function listMembers(link: Link): Promise<string[]> {
  if ((await findStream(link, STREAM)) === null) return [];
  const info = await link.again((jsm) => jsm.streams.info(STREAM, { subjects_filter: SUBJECTS }));
  return Object.keys(info.state.subjects ?? {})
    .map((subject) => subject.slice("members.".length))
    .sort();
}

class Lease implements Membership {
  readonly #link: Link;
  readonly #o: MembershipOptions;
  #members: string[] = [];
  #isLost = false;
  #losses = 0;
  #pulse: ReturnType<typeof setInterval> | null = null;
  #pulseAtMs = performance.now();
  #provenAtMs = 0;
  #beat: Promise<void> = Promise.resolve();
  #nextBeat: ReturnType<typeof setTimeout> | null = null;
  #expiry: ReturnType<typeof setTimeout> | null = null;
  #left = false;
  /** A look that was under way when they were taken out may still tell of them. Ids are new at each start. */
  readonly #expelled = new Set<string>();

  constructor(link: Link, options: MembershipOptions) {
    this.#link = link;
    this.#o = options;
  }

  members(): string[] {
    return [...this.#members];
  }

  get isLost(): boolean {
    // Also true before the timer has run: a process may have been stopped for long.
    return this.#isLost || performance.now() - this.#provenAtMs >= this.#o.ttlMs;
  }

  get losses(): number {
    this.#feelPulse();
    return this.#losses;
  }

  async begin(): Promise<void> {
    await this.#proveFirst();
    this.#members = await this.#look();
    this.#pulseAtMs = performance.now();
    this.#pulse = setInterval(() => this.#feelPulse(), this.#o.ttlMs / BEATS_PER_TTL);
    this.#schedule();
  }

  async expel(members: readonly string[]): Promise<void> {
    for (const member of members) this.#expelled.add(member);
    const before = this.#members.length;
    this.#members = this.#members.filter((member) => !this.#expelled.has(member));
    if (this.#members.length < before) this.#o.onChange();
    for (const member of members) {
      await removeOne(this.#link, STREAM, `members.${member}`);
    }
  }

  async leave(): Promise<void> {
    this.#left = true;
    if (this.#pulse) clearInterval(this.#pulse);
    if (this.#nextBeat) clearTimeout(this.#nextBeat);
    if (this.#expiry) clearTimeout(this.#expiry);
    // A heartbeat under way would bring the lease back.
    await this.#beat;
    if (!this.#link.isConnected) return;
    await removeOne(this.#link, STREAM, `members.${this.#o.memberId}`);
  }

  #schedule(): void {
    if (this.#left) return;
    this.#nextBeat = setTimeout(() => {
      this.#beat = this.#onBeat().finally(() => this.#schedule());
    }, this.#o.ttlMs / BEATS_PER_TTL);
  }

  async #onBeat(): Promise<void> {
    const wasLost = this.isLost;
    const before = `${wasLost} ${this.#members}`;
    try {
      await this.#prove();
      // After the broker was away the others come back about now too: the next look tells which did not.
      if (!wasLost) this.#members = await this.#look();
    } catch (error) {
      // The last view stays; the timer says when the own lease is over.
      if (!(error instanceof WeirError)) throw error;
    }
    if (!this.#left && before !== `${this.isLost} ${this.#members}`) this.#o.onChange();
  }

  /** A stream that another member has just made may not answer yet, so the first heartbeat is tried for one lifetime. */
  async #proveFirst(): Promise<void> {
    const giveUpAtMs = performance.now() + this.#o.ttlMs;
    for (;;) {
      try {
        return await this.#prove();
      } catch (error) {
        if (!(error instanceof RetryableError) || performance.now() >= giveUpAtMs) throw error;
        await Bun.sleep(JOIN_RETRY_MS);
      }
    }
  }

  /** One heartbeat. The lease counts from before it was sent: it ends here before it ends at the broker. */
  async #prove(): Promise<void> {
    const sentAtMs = performance.now();
    if (!this.#link.isConnected) throw unavailable();
    const { error } = await this.#heartbeat();
    if (error) throw unavailable(error.description);
    const isLate = performance.now() - sentAtMs >= this.#o.ttlMs;
    if (this.#left || isLate) return;
    this.#provenAtMs = sentAtMs;
    this.#isLost = false;
    if (this.#expiry) clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.#lose(), sentAtMs + this.#o.ttlMs - performance.now());
  }

  async #heartbeat(): Promise<{ error?: { description: string } }> {
    try {
      const timeout = Math.ceil(this.#o.ttlMs / BEATS_PER_TTL);
      const answer = await this.#link.nc.request(`members.${this.#o.memberId}`, "", { timeout });
      return answer.json();
    } catch (error) {
      throw unavailable(describeError(error));
    }
  }

  async #look(): Promise<string[]> {
    const living = (await listMembers(this.#link)).filter((member) => !this.#expelled.has(member));
    return [...new Set([...living, this.#o.memberId])].sort();
  }

  #lose(): void {
    if (this.#left || this.#isLost) return;
    this.#isLost = true;
    this.#o.onChange();
  }

  #feelPulse(): void {
    const nowMs = performance.now();
    if (nowMs - this.#pulseAtMs >= this.#o.ttlMs) this.#losses++;
    this.#pulseAtMs = nowMs;
  }
}

async function ensureMembersStream(link: Link, ttlMs: number): Promise<void> {
  const wanted = {
    name: STREAM,
    subjects: [SUBJECTS],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_msgs: MAX_MEMBERS,
    max_msgs_per_subject: 1,
    max_age: ttlMs * NANOS_PER_MS,
    // Must not be longer than the age; no heartbeat has an id.
    duplicate_window: ttlMs * NANOS_PER_MS,
    ...replicasOf(link),
  } satisfies Partial<StreamConfig>;
  let info = await makeStream(link, wanted);
  if (info.config.max_age !== wanted.max_age || !hasReplicas(link, info))
    info = await link.api((jsm) => jsm.streams.update(STREAM, wanted));
  assertConfig(wanted, info.config);
}
