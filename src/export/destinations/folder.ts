import { isAbsolute, join, normalize, relative } from "node:path";
import { ConfigReader, invalidConfig } from "../config.ts";
import type { Destination, DestinationEnv } from "../model.ts";
import { formOf, readFileConfig } from "./fileConfig.ts";
import { FolderFiles } from "./folderFiles.ts";

/**
 * Files in a folder of the machine that Weir runs on: `path`, below the data folder's `exports/folders`, or an absolute one below a
 * folder that the operator allows (`WEIR_EXPORT_FOLDERS`). `manifest`: with a list of the files beside them.
 */
export const FOLDER: Destination = {
  type: "Folder",
  secrets: [],
  check(config) {
    const { path, manifest, files } = read(config);
    return { ...config, path, manifest, ...files };
  },
  async open(config, range, env) {
    const { path, manifest, files } = read(config);
    return new FolderFiles(resolved(path, env), range, formOf(files), manifest);
  },
};

function read(config: Record<string, unknown>) {
  const reader = new ConfigReader(config);
  const path = reader.text("path");
  if (path.includes("\0")) throw invalidConfig("path", "Not a valid path.");
  const manifest = reader.flag("manifest");
  const files = readFileConfig(reader);
  reader.end();
  return { path, manifest, files };
}

/** Throws TerminalError `invalid_config` for a folder that is not allowed. */
function resolved(path: string, env: DestinationEnv): string {
  const own = join(env.folder, "folders");
  const wanted = isAbsolute(path) ? normalize(path) : join(own, path);
  if ([own, ...env.allowedFolders].some((folder) => isBelow(wanted, folder))) return wanted;
  throw invalidConfig("path", "This folder is not allowed: it must be below one that WEIR_EXPORT_FOLDERS names.");
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
