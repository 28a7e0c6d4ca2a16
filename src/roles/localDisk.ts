import { statfsSync } from "node:fs";
import { TerminalError } from "../types/mod.ts";

/** Kinds of file system, as statfs(2) numbers them, whose locks and write-through cannot be relied on. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x517b, "SMB"],
  [0x00c36400, "CephFS"],
  [0x5346414f, "AFS"],
]);

/** Throws TerminalError `network_file_system`: SQLite is for one machine and its own disk (protocol rule 13). */
export function assertLocalDisk(directory: string, typeOf = (path: string) => statfsSync(path).type): void {
  const kind = NETWORK_FILE_SYSTEMS.get(typeOf(directory) >>> 0);
  if (kind === undefined) return;
  throw new TerminalError(
    "network_file_system",
    `${directory} lies on a network file system (${kind}), where SQLite can lose data. Use a local disk, or PostgreSQL (DATABASE_URL)`,
  );
}
