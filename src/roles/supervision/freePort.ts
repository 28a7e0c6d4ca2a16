import { createServer } from "node:net";
import { TerminalError } from "../../types/mod.ts";

/** Throws TerminalError `port_taken` where another program listens, before the start makes anything. */
export async function assertPortFree(host: string, port: number): Promise<void> {
  if (port !== 0 && !(await isFree(host, port))) throw portTaken(host, port);
}

export function portTaken(host: string, port: number): TerminalError {
  return new TerminalError(
    "port_taken",
    `port ${port} of ${host} is taken by another program, perhaps another Weir. Stop that one, or set WEIR_PORT to another port.`,
  );
}

/** Whether a failure to listen means that the port is taken. */
export function isPortTaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === "EADDRINUSE";
}

/** Throws TerminalError `cannot_listen` where the address itself is wrong. */
async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  server.once("error", (error) => (isPortTaken(error) ? resolve(false) : reject(cannotListen(host, port, error))));
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}

function cannotListen(host: string, port: number, cause: Error): TerminalError {
  return new TerminalError("cannot_listen", `cannot listen on port ${port} of ${host}: ${cause.message}`, { cause });
}
