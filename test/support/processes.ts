import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";

/** Below the range that Linux takes the ports of clients from: no other program gets one of these by chance. */
const PORTS = { from: 10_000, to: 32_000 };

/** What this process has claimed: the kernel gives it back when the process ends. */
const claims: Socket[] = [];

/** A TCP port that nobody listens at, and that no other test is given while this process runs. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + randomInt(PORTS.to - PORTS.from);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
}

/** Takes the UDP port of the same number, which no server under test listens at. */
function claim(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    socket.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => {
      socket.unref();
      claims.push(socket);
      resolve(true);
    });
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** True while the process exists and is no zombie. */
export function isRunning(pid: number): boolean {
  return !["", "Z"].includes(stateOf(pid));
}

/** True while the process is stopped (SIGSTOP). */
export function isStopped(pid: number): boolean {
  return stateOf(pid) === "T";
}

/** The kernel's letter; "" when there is no such process. */
function stateOf(pid: number): string {
  try {
    return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}

/** Running processes, other than this one, whose command line or environment holds `text` (a path of one test only). */
export function processesNaming(text: string): { pid: number; command: string }[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((entry) => {
      try {
        const command = readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ");
        const names = command.includes(text) || readFileSync(`/proc/${entry}/environ`, "latin1").includes(text);
        return names && isRunning(Number(entry)) ? [{ pid: Number(entry), command }] : [];
      } catch {
        return []; // it has ended, or is another user's
      }
    });
}

/** Only ends a hang: no test is judged by how long something takes, and a busy machine may take many times longer than an idle one. */
export const HANG_MS = 240_000;

/** Waits until `condition` gives something truthy; throws after `timeoutMs`, saying what was awaited. */
export async function until<T>(
  what: string,
  timeoutMs: number,
  condition: () => T | Promise<T>,
  pauseMs = 50,
): Promise<NonNullable<T>> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > giveUpAt) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await Bun.sleep(pauseMs);
  }
}
