import { isAbsolute, join, normalize, relative } from "node:path";
import type { Destination, DestinationEnv } from "../model.ts";
import { FILE_MEMBERS, formOf, invalidConfig, readFileConfig, refuseOthers } from "./fileConfig.ts";
import { FolderFiles } from "./folderFiles.ts";

/**
 * Files in a folder of the machine that Weir runs on: `path`, below the data folder's `exports/folders`, or an absolute one below a
 * folder that the operator allows (`WEIR_EXPORT_FOLDERS`).
 */
export const FOLDER: Destination = {
  type: "Folder",
  secrets: [],
  check(config) {
    refuseOthers(config, ["path", "manifest", ...FILE_MEMBERS]);
    const { path, manifest = false } = config;
    if (typeof path !== "string" || path.trim() === "" || path.includes("\0")) {
      throw invalidConfig("Configuration missing required field: 'path'");
    }
    if (typeof manifest !== "boolean") throw invalidConfig("manifest must be true or false.");
    return { path, manifest, ...readFileConfig(config, "Parquet") };
  },
  async open(config, range, env) {
    const form = formOf(readFileConfig(config, "Parquet"));
    return new FolderFiles(resolved(String(config.path), env), range, form, config.manifest === true);
  },
};

/** Throws TerminalError `invalid_config` for a folder that is not allowed. */
function resolved(path: string, env: DestinationEnv): string {
  const own = join(env.folder, "folders");
  const wanted = isAbsolute(path) ? normalize(path) : join(own, path);
  if ([own, ...env.allowedFolders].some((folder) => isBelow(wanted, folder))) return wanted;
  throw invalidConfig(`The folder ${path} is not allowed: it must be below one that WEIR_EXPORT_FOLDERS names.`);
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
