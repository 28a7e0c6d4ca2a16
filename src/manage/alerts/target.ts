import { isIP } from "node:net";
import { newWebhookSecret } from "../../alerts/mod.ts";
import { isPublic } from "../../outgoing/mod.ts";
import { type Field, FieldError, mapped, text } from "../http/fields.ts";
import type { ManageDeps } from "../serve/deps.ts";

const URL_MAX = 2_000;

/** An http(s) address that messages are sent to. */
export function webhookUrl(): Field<string> {
  return mapped(text({ maxLength: URL_MAX }), checkedUrl);
}

/** Throws FieldError. The host is looked up when something is sent; what is plainly private is refused here. */
export function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new FieldError("invalid_input", "Must be an http(s) address without a user.");
  }
  return url.href;
}

/** Whether an address names a host that messages may not go to. */
export function isPrivateUrl(text: string): boolean {
  const host = new URL(text).hostname.replace(/^\[(.*)\]$/, "$1");
  return host === "localhost" || (isIP(host) !== 0 && !isPublic(host));
}

/** A new secret for the webhooks of a record: as it is shown once, and as it is kept. */
export function newSecret(deps: ManageDeps, recordId: string): { shown: string; kept: string } {
  const shown = newWebhookSecret();
  return { shown, kept: deps.exports.secrets.seal({ secret: shown }, recordId) };
}
