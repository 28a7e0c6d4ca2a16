import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 24;

/** A new secret in the form of Standard Webhooks. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/** The headers by which a receiver knows that a message is Weir's, and which one it is. */
export function signatureHeaders(o: {
  id: string;
  atMs: number;
  body: string;
  secret: string;
}): Record<string, string> {
  const timestamp = String(Math.floor(o.atMs / 1000));
  const key = Buffer.from(o.secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${o.id}.${timestamp}.${o.body}`).digest("base64");
  return { "webhook-id": o.id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
