import type { OutgoingEvent, Span } from "./event.ts";

/**
 * An event that is stored as it was sent. Its texts are parts of the request's body, so no strings are made on the way into a
 * frame. Its name and distinct_id are ASCII without escapes, and it asks for no merge.
 */
export class RawEvent implements OutgoingEvent {
  readonly elementsChain = "";
  mergedAtMs = 0;
  readonly mergeSequence = 0;

  constructor(
    readonly teamId: number,
    readonly flags: number,
    readonly timestampMs: number,
    /** The body; the numbers that follow are places in it. */
    readonly bytes: Buffer,
    readonly uuidStart: number,
    readonly nameStart: number,
    readonly nameEnd: number,
    readonly distinctIdStart: number,
    readonly distinctIdEnd: number,
    readonly propertiesStart: number,
    readonly propertiesEnd: number,
    readonly added: string,
  ) {}

  /** Of its texts, the uuid apart; near enough. */
  get sizeBytes(): number {
    const { nameStart, nameEnd, distinctIdStart, distinctIdEnd, propertiesStart, propertiesEnd, added } = this;
    return nameEnd - nameStart + distinctIdEnd - distinctIdStart + propertiesEnd - propertiesStart + added.length;
  }

  get uuid(): string {
    return this.bytes.toString("latin1", this.uuidStart, this.uuidStart + UUID_BYTES);
  }

  get event(): string {
    return this.bytes.toString("latin1", this.nameStart, this.nameEnd);
  }

  get distinctId(): string {
    return this.bytes.toString("latin1", this.distinctIdStart, this.distinctIdEnd);
  }

  get properties(): Span {
    return { bytes: this.bytes, start: this.propertiesStart, end: this.propertiesEnd };
  }
}

/** Of its canonical text. */
export const UUID_BYTES = 36;
