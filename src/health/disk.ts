import { statfs } from "node:fs/promises";
import { TerminalError } from "../types/mod.ts";

/** Room on the disk of a folder. */
export interface DiskRoom {
  freeBytes: number;
  totalBytes: number;
}

/** What this user may still write to the disk of the data folder, and how large it is. Throws TerminalError `no_data_folder`. */
export async function diskRoom(directory: string): Promise<DiskRoom> {
  const stats = await statfs(directory).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" || error.code === "ENOTDIR" ? noFolder(directory) : error;
  });
  return { freeBytes: stats.bavail * stats.bsize, totalBytes: stats.blocks * stats.bsize };
}

/** A Weir whose records and files are elsewhere needs the folder all the same, for what is of one machine. */
function noFolder(directory: string): TerminalError {
  const problem = `The data folder ${directory} (WEIR_DATA_DIR) does not exist. Make it, or name the one of this machine.`;
  return new TerminalError("no_data_folder", problem);
}
