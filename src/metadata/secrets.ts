import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function toBase62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; rest > 0n; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text;
  return text;
}

/** A project token: public, write-only. */
export function newProjectToken(): string {
  return `phc_${toBase62(randomBytes(32))}`;
}

/** A personal API key in the clear; shown once, stored as `hashSecret`. */
export function newPersonalApiKeyValue(): string {
  return `phx_${toBase62(randomBytes(35))}`;
}

/** What the cookie of a session, or a login link, holds: 32 random bytes in base64url, stored as `hashSecret`. */
export function newLoginToken(): string {
  return randomBytes(32).toString("base64url");
}

/** `length` random characters of [0-9A-Za-z]; not for secrets. */
export function randomId(length: number): string {
  let text = "";
  while (text.length < length) {
    // 248 = 4 * 62: above it the first characters would come more often.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += BASE62[byte % 62];
  }
  return text;
}

/** How a key is kept. Keys are long and random, so one round is enough. */
export function hashSecret(value: string): string {
  return `sha256$${createHash("sha256").update(value, "utf8").digest("hex")}`;
}

/** Compares two hashes in a time that does not depend on where they differ. */
export function equalHashes(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Whether two secrets in the clear are the same one. */
export function equalSecrets(a: string, b: string): boolean {
  return equalHashes(hashSecret(a), hashSecret(b));
}

/** What may be shown of a key later. */
export function maskSecret(value: string): string {
  return value.length < 16 ? "********" : `${value.slice(0, 4)}...${value.slice(-4)}`;
}
