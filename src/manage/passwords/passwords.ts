import { randomBytes } from "node:crypto";
import { Tries } from "./tries.ts";
import { Turns } from "./turns.ts";

/** Each hash takes 64 MiB and a core while it is made. */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 2 } as const;
const MOST = { atOnce: 2, waiting: 20 };

const base64 = (sizeBytes: number): string => randomBytes(sizeBytes).toString("base64").replace(/=+$/, "");

/** A hash that no password has: a wrong e-mail costs what a wrong password does. */
export const NO_HASH = `$argon2id$v=19$m=65536,t=2,p=1$${base64(32)}$${base64(32)}`;

/** Makes and checks hashes of passwords, few at once, and limits how often passwords are tried. */
export class Passwords {
  readonly tries = new Tries();
  private readonly turns = new Turns(MOST);

  /** The argon2id hash. Throws ApiError 429 where too many wait for one. */
  hash(password: string): Promise<string> {
    return this.turns.take(() => Bun.password.hash(password, ARGON2ID));
  }

  /** Whether the hash is of this password; false for null, after the same work. Throws ApiError 429 as `hash`. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const isRight = await this.turns.take(() => Bun.password.verify(password, hash ?? NO_HASH));
    return isRight && hash !== null;
  }
}
