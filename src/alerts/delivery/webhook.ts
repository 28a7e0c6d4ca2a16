import type { Delivery } from "../../metadata/mod.ts";
import { answerText, connectionProblem, guardedFetch, refusal, type SecretBox } from "../../outgoing/mod.ts";
import { RetryableError, TerminalError } from "../../types/mod.ts";
import { signatureHeaders } from "./signature.ts";

const TIMEOUT_MS = 10_000;
const RECEIVER = "The receiver";
/** The receiver wants no more. */
const GONE = 410;

export interface WebhookParts {
  secrets: Pick<SecretBox, "open">;
  /** Whether receivers may have private addresses. */
  allowPrivate: boolean;
  now(): number;
}

/** Hands a message to its address. Errors: TerminalError where no other try would do better, RetryableError. */
export async function sendWebhook(delivery: Delivery, parts: WebhookParts, signal: AbortSignal): Promise<void> {
  const { id, target, message, secret: sealed, sourceId } = delivery;
  const body = JSON.stringify(message);
  const { secret } = parts.secrets.open(sealed, sourceId);
  const signed =
    typeof secret === "string" ? signatureHeaders({ id, atMs: parts.now(), body, secret }) : { "webhook-id": id };
  const headers = { "Content-Type": "application/json", "User-Agent": "Weir", "Idempotency-Key": id, ...signed };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await guardedFetch(target, { method: "POST", headers, body, signal: limit }, parts);
    if (response.ok) {
      await response.body?.cancel();
      return;
    }
    const { message: said } = refusal(RECEIVER, response.status, await answerText(response));
    if (response.status === GONE) throw new TerminalError("receiver_gone", said);
    // Also a 404 may be a receiver that is being moved.
    throw new RetryableError("receiver_refused", said);
  } catch (error) {
    throw connectionProblem(RECEIVER, error);
  }
}
