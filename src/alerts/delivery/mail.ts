import type { Delivery } from "../../metadata/mod.ts";
import { describeError, RetryableError, TerminalError } from "../../types/mod.ts";

const TIMEOUT_MS = 20_000;

/** Where letters are handed over. */
export interface MailParts {
  /** `smtp://user:password@host:port` or `smtps://…`; null where there is no mail server. */
  smtpUrl: string | null;
  /** The sender's address. */
  from: string;
}

/** Hands a letter to the mail server. Errors: TerminalError where no other try would do better, RetryableError. */
export async function sendMail(delivery: Delivery, { smtpUrl, from }: MailParts): Promise<void> {
  if (smtpUrl === null) throw new RetryableError("no_mail_server", "There is no mail server: set WEIR_SMTP_URL.");
  // Few installations send mail: it is loaded when it is needed.
  const { createTransport } = await import("nodemailer");
  const { id, target, message } = delivery;
  const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: smtpUrl, ...limits, disableFileAccess: true, disableUrlAccess: true });
  try {
    await transport.sendMail({
      from,
      // As one address, whatever characters it has.
      to: { name: "", address: target },
      subject: String(message.subject),
      text: String(message.text),
      html: String(message.html),
      messageId: `<${id}@${domainOf(from)}>`,
      headers: { "Idempotency-Key": id, "Auto-Submitted": "auto-generated" },
    });
  } catch (error) {
    const problem = `The mail server: ${describeError(error)}`;
    throw isRefusedAddress(error)
      ? new TerminalError("address_refused", problem)
      : new RetryableError("mail_failed", problem);
  } finally {
    transport.close();
  }
}

/** Answers of 5xx to the recipient: that will not change. A refused login or sender is for the operator to mend. */
function isRefusedAddress(error: unknown): boolean {
  const { command, responseCode } = error as { command?: unknown; responseCode?: unknown };
  return command === "RCPT TO" && typeof responseCode === "number" && responseCode >= 500;
}

const domainOf = (address: string): string => /@([^>\s]+)/.exec(address)?.[1] ?? "weir";
