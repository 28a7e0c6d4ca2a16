import { describeError, WeirError } from "../types/mod.ts";

/** How lines of the log are written: for people, or as JSON. */
export type LogForm = "text" | "json";

let form: LogForm = "text";

/** For all loggers of this process, from now on. */
export function setLogForm(wanted: LogForm): void {
  form = wanted;
}

/** Writes a message of a role; `requestId` names the request that it is about. */
export type Logger = (message: string, requestId?: string) => void;

/** One line a message, to stderr: stdout belongs to what `weir start` prints for the user. */
export function logger(role: string): Logger {
  return (message, requestId) => {
    const time = new Date().toISOString();
    if (form === "json") return console.error(JSON.stringify({ time, role, request_id: requestId, message }));
    console.error(`${time} ${role}: ${requestId === undefined ? "" : `[${requestId}] `}${message}`);
  };
}

/**
 * Writes why a command ends. A typed error is one sentence that an operator can act on; any other error is a defect and shows its
 * stack.
 */
export function logFailure(role: string, error: unknown): void {
  const isTyped = error instanceof WeirError;
  if (form === "json") logger(role)(isTyped ? describeError(error) : Bun.inspect(error));
  else console.error(isTyped ? `weir: ${describeError(error)}` : error);
}
