import type { Json } from "../types/mod.ts";

const MASK = "********";

/** Names of fields that hold secrets. */
const SECRET_NAME =
  /(token|secret|password|passphrase|credential|webhook|webhook_url|private_key|api_key|access_key|secure_value|dsn)$/i;

/** Weir's own keys and tokens anywhere in a text: in a name, a URL, a JSON value. */
const SECRET_TEXT = /\bph[acrsx]_[A-Za-z0-9_-]{8,}/g;

export function isSecretName(field: string): boolean {
  return SECRET_NAME.test(field);
}

/** A text with the keys in it masked. */
export function maskSecretsIn(text: string): string {
  return text.replace(SECRET_TEXT, (key) => `${key.slice(0, 4)}${MASK}`);
}

/** A copy of a JSON document with secret members and the keys inside texts masked. */
export function withoutSecrets(value: unknown): Json {
  if (typeof value === "string") return maskSecretsIn(value);
  if (typeof value !== "object" || value === null) return value as Json;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  const members = Object.entries(value).map(([name, member]): [string, Json] => [
    name,
    isSecretName(name) && member !== null ? MASK : withoutSecrets(member),
  ]);
  return Object.fromEntries(members);
}
