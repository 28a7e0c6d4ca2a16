import { TerminalError } from "../../types/mod.ts";

/** A signal ends the work, not the process, so that the work lets go of what it holds. `what` names it, e.g. `the check`. */
export function untilSignal(what: string): AbortSignal {
  const controller = new AbortController();
  const end = () => controller.abort(new TerminalError("interrupted", `${what} was interrupted`));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
  return controller.signal;
}
