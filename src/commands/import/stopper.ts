import { TerminalError } from "../../types/mod.ts";

/** As shells have it for a program that Ctrl-C has ended. */
export const EXIT_STOPPED = 130;

/** What ends an import before its time. */
export interface Stopper {
  signal: AbortSignal;
  /** Whether a signal of the system has ended it. */
  isStopped(): boolean;
  abort(reason: TerminalError): void;
  end(): void;
}

/** Aborts at the first signal; the second one ends the process. */
export function stopper(): Stopper {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(EXIT_STOPPED);
    controller.abort(new TerminalError("stopped", "The import was stopped."));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  const end = () => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  };
  const isStopped = () => (controller.signal.reason as TerminalError | undefined)?.code === "stopped";
  return { signal: controller.signal, isStopped, abort: (reason) => controller.abort(reason), end };
}
