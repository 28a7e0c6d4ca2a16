import { open } from "node:fs/promises";

/** Writes a file, or the names in a folder, through to the disk. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** For `catch`: gives `instead` of a file or folder that does not exist, and throws all other errors. */
export const ifMissing =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };
