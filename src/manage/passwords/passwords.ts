import { randomBytes } from "node:crypto";
import { Tries } from "./tries.ts";
import { Turns } from "./turns.ts";

/** Each hash takes so much memory, and a core while it is made. */
const MEMORY_KIB = 64 * 1024;
const PASSES = 2;
const MOST = { atOnce: 2, waiting: 20 };

const base64 = (sizeBytes: number): string => randomBytes(sizeBytes).toString("base64").replace(/=+$/, "");

/** Makes and checks hashes of passwords, few at once, and limits how often passwords are tried. */
export class Passwords {
  readonly tries = new Tries();
  /** A hash that no password has: a wrong e-mail costs what a wrong password does. */
  readonly noHash: string;
  private readonly turns = new Turns(MOST);

  /** Less memory is for tests that make many hashes and are about something else. */
  constructor(private readonly memoryKib = MEMORY_KIB) {
    this.noHash = `$argon2id$v=19$m=${memoryKib},t=${PASSES},p=1$${base64(32)}$${base64(32)}`;
  }

  /** The argon2id hash. Throws ApiError 429 where too many wait for one. */
  hash(password: string): Promise<string> {
    const cost = { algorithm: "argon2id", memoryCost: this.memoryKib, timeCost: PASSES } as const;
    return this.turns.take(() => Bun.password.hash(password, cost));
  }

  /** Whether the hash is of this password; false for null, after the same work. Throws ApiError 429 as `hash`. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const isRight = await this.turns.take(() => Bun.password.verify(password, hash ?? this.noHash));
    return isRight && hash !== null;
  }
}
