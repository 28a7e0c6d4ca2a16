import { createInbox, type Msg, type MsgHdrs, type Subscription } from "@nats-io/transport-node";
import type { Link } from "../link/link.ts";

/** The broker's answer to one message. */
export type Ack =
  | { kind: "stored"; sequence: number; isDuplicate: boolean }
  | { kind: "refused"; code: number; text: string }
  /** Nobody listens on the subject: there is no such stream, or JetStream is not up. */
  | { kind: "no_responders" };

interface AckBody {
  seq?: number;
  duplicate?: boolean;
  error?: { code?: number; err_code?: number; description?: string };
}

/** Sends messages and hands each its acknowledgement, all through one subscription: a third of a request's cost. */
export class AckInbox {
  readonly #link: Link;
  readonly #prefix = createInbox();
  readonly #subscription: Subscription;
  readonly #waiting = new Map<string, (ack: Ack) => void>();
  #count = 0;

  constructor(link: Link) {
    this.#link = link;
    this.#subscription = link.nc.subscribe(`${this.#prefix}.*`, {
      callback: (error, message) => {
        if (!error) this.#onAck(message);
      },
    });
  }

  /** `payload` must not be changed afterwards: it is not copied. Gives what `forget` takes. */
  send(subject: string, payload: Uint8Array, headers: MsgHdrs, onAck: (ack: Ack) => void): string {
    const token = (this.#count++).toString(36);
    this.#link.nc.publish(subject, payload, { headers, reply: `${this.#prefix}.${token}` });
    this.#waiting.set(token, onAck);
    return token;
  }

  forget(token: string): void {
    this.#waiting.delete(token);
  }

  close(): void {
    this.#waiting.clear();
    this.#subscription.unsubscribe();
  }

  #onAck(message: Msg): void {
    const token = message.subject.slice(this.#prefix.length + 1);
    const onAck = this.#waiting.get(token);
    if (onAck === undefined) return;
    this.#waiting.delete(token);
    onAck(parseAck(message));
  }
}

function parseAck(message: Msg): Ack {
  if (message.data.length === 0 && message.headers?.code === 503) return { kind: "no_responders" };
  const { seq, duplicate, error } = message.json<AckBody>();
  if (error || seq === undefined) {
    return { kind: "refused", code: error?.err_code ?? 0, text: error?.description ?? "unreadable acknowledgement" };
  }
  return { kind: "stored", sequence: seq, isDuplicate: duplicate === true };
}
