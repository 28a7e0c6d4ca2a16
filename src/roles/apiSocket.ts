import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TerminalError } from "../types/mod.ts";

/** The kernel takes 107 bytes for the path of a socket. */
const PATH_MAX_BYTES = 100;
const NAME = "api.sock";

/**
 * Where the api process listens and the front finds it: a socket in the data folder's `run`, or in a folder of this user's
 * own below the system's temporary one where that path would be too long.
 */
export function apiSocketPath(runDir: string): string {
  const path = join(runDir, NAME);
  if (Buffer.byteLength(path) <= PATH_MAX_BYTES) return path;
  const hash = createHash("sha256").update(runDir).digest("hex").slice(0, 16);
  return join(tmpdir(), `weir-${process.getuid?.() ?? 0}-${hash}`, NAME);
}

/** Makes room for a new socket. Throws TerminalError `already_running` where a living process listens on the path. */
export async function clearSocket(path: string): Promise<void> {
  const folder = join(path, "..");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).uid !== process.getuid?.()) {
    throw new TerminalError("foreign_folder", `${folder} belongs to another user`);
  }
  chmodSync(folder, 0o700);
  if (await answers(path)) throw new TerminalError("already_running", `an api process listens on ${path} already`);
  rmSync(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
