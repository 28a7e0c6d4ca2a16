import { statfs } from "node:fs/promises";

/** Room on the disk of a folder. */
export interface DiskRoom {
  freeBytes: number;
  totalBytes: number;
}

/** What this user may still write, and how large the disk is. */
export async function diskRoom(directory: string): Promise<DiskRoom> {
  const stats = await statfs(directory);
  return { freeBytes: stats.bavail * stats.bsize, totalBytes: stats.blocks * stats.bsize };
}
