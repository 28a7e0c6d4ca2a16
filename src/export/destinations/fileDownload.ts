import { join } from "node:path";
import { ConfigReader } from "../config.ts";
import type { Destination } from "../model.ts";
import { type FileConfig, formOf, readFileConfig } from "./fileConfig.ts";
import { FolderFiles } from "./folderFiles.ts";

/** The folder of the files of a download, below that of all. `exportId`: of the download. */
export const downloadFolder = (folder: string, exportId: string): string => join(folder, "downloads", exportId);

/** Files that lie with Weir until they are downloaded. */
export const FILE_DOWNLOAD: Destination = {
  type: "FileDownload",
  secrets: [],
  check: (config) => ({ ...config, ...read(config) }),
  async open(config, range, { folder }) {
    return new FolderFiles(downloadFolder(folder, range.exportId), range, formOf(read(config)), false);
  },
};

function read(config: Record<string, unknown>): FileConfig {
  const reader = new ConfigReader(config);
  const files = readFileConfig(reader);
  reader.end();
  return files;
}
